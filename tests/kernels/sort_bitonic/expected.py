save("data", "u32", sorted(random("u32", 256, 12)))
