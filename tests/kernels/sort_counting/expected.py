save("out", "u8", sorted(random("u8", 1000, 16)))
