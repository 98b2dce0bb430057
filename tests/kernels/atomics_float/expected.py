save("single", "f32", [float(sum(range(k, 140, 3))) for k in range(3)] + [0.0, 2 * 140.25])
save("wide", "f64", [sum(i * i - 0.5 for i in range(k, 140, 2)) for k in range(2)])
