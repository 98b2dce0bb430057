save("sums", "f32", [float(sum(range(-100 + 32 * i, -68 + 32 * i))) for i in range(9)])
