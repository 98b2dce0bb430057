a, b = ([w % 33 - 16 for w in random("u32", 64 * 128, seed)] for seed in (211, 212))
save("a", "f16", a)
save("b", "f16", b)
save("c", "f32", [float(sum(a[r * 128 + k] * b[k * 64 + c] for k in range(128))) for r in range(64) for c in range(64)])
