save("out", "u32", [pow(b, e, m) for b, e, m in zip(random("u32", 96, 62), random("u32", 96, 63), random("u32", 96, 64, 1, 4294967295))])
