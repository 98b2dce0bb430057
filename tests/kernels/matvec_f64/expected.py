save("out", "f64", [float(sum((row * 75 + i - 400) * (30 - i) for i in range(75))) for row in range(11)])
