# Small whole numbers: every sum is exact. B is stored by columns.
a = [float(value) for value in random("s32", 256 * 32, 1, -20, 21)]
b = [float(value) for value in random("s32", 64 * 32, 2, -20, 21)]
save("a", "f16", a)
save("b", "f16", b)
save("out", "f32", [sum(a[32 * m + k] * b[32 * n + k] for k in range(32)) for m in range(256) for n in range(64)])
