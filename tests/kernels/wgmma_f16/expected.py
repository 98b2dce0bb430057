a, b = ([w % 201 - 100 for w in random("u32", 4096, seed)] for seed in (101, 102))
save("a", "f16", a)
save("b", "f16", b)
save("d", "f32", [float(sum(a[r * 64 + k] * b[c * 64 + k] for k in range(64))) for r in range(64) for c in range(64)])
