# Whole numbers below 2^10 and 2^7, to which a quarter of a last place is added that tf32 has no room for: every sum is exact.
whole = lambda seed, bound: [w % (2 * bound - 1) - bound + 1 for w in random("u32", 1024, seed)]
a, b = whole(41, 1024), whole(42, 128)
save("a", "f32", [v * (1 + 2.0 ** -13) for v in a])
save("b", "f32", [v * (1 - 2.0 ** -13) for v in b])
save("d", "f32", [float(r * 32 + c + sum(a[r * 32 + k] * b[k * 32 + c] for k in range(32))) for r in range(32) for c in range(32)])
