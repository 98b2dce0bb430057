a, b = random("s8", 512, 23), random("s8", 256, 24)
save("d", "s32", [1000 + sum(a[r * 32 + k] * b[k * 8 + n] for k in range(32)) for r in range(16) for n in range(8)])
