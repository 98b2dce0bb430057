save("d", "f64", [0.25 + sum((-1000 + 77 * (r * 4 + k)) * (3 - 5 * (k * 8 + n)) for k in range(4)) for r in range(8) for n in range(8)])
