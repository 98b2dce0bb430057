save("data", "s16", sorted(random("s16", 99, 14)))
