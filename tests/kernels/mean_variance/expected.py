data = [Fraction(v) for v in random("f64", 333, 111, -5.0, 20.0)]
mean = sum(data) / 333
save("out", "f64", [float(mean), float(sum((v - mean) ** 2 for v in data) / 333)])
