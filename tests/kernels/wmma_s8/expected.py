a, b = random("s8", 4096, 31), random("s8", 4096, 32)
save("d", "s32", [7 + sum(a[r * 64 + k] * b[k * 64 + c] for k in range(64)) for c in range(64) for r in range(64)])
