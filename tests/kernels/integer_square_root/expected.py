numbers = [0, 1, 2, 3, 4, 24, 25, 26, 2 ** 62, 2 ** 62 - 1, (2 ** 31 - 1) ** 2] + [w >> i % 60 + 1 for i, w in enumerate(random("u64", 89, 65))]
save("in", "u64", numbers)
save("roots", "u32", [math.isqrt(n) for n in numbers])
