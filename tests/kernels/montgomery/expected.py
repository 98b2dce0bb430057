save("out", "u64", [a * a * b % (n | 1) for a, b, n in zip(random("u64", 64, 160), random("u64", 64, 161), random("u64", 64, 162))])
