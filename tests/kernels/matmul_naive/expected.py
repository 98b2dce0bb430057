a, b = [i - 8 for i in range(221)], [5 - i for i in range(357)]
save("c", "f32", [float(sum(a[r * 17 + i] * b[i * 21 + c] for i in range(17))) for r in range(13) for c in range(21)], (13, 21))
