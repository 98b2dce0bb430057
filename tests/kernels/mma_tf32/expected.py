save("d", "f32", [float(sum((-500 + 9 * (r * 8 + k)) * (100 - 3 * (k * 8 + n)) for k in range(8))) for r in range(16) for n in range(8)])
