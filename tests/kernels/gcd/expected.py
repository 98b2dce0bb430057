save("gcd", "u32", [math.gcd(a, b) for a, b in zip(random("u32", 128, 60, 0, 100000), random("u32", 128, 61, 0, 30))])
