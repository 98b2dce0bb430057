save("d", "f32", [0.5 + sum((r * 8 + k - 60) * (k * 8 + n - 30) for k in range(8)) for r in range(16) for n in range(8)])
