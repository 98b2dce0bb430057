save("d", "f32", [2.0 + sum((r * 16 + k - 120) * (130 - c * 16 - k) for k in range(16)) for r in range(16) for c in range(16)])
