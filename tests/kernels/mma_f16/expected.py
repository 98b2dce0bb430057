save("d", "f32", [float(sum((r * 16 + k - 128) * (k * 8 + n - 64) for k in range(16)) + r * 8 + n) for r in range(16) for n in range(8)])
