save("b", "u64", sorted(random("u64", 128, 15)))
