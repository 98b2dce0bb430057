save("data", "s32", sorted(random("s32", 256, 13)))
