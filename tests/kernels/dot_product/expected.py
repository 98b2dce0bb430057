save("out", "f32", [sum((-150 + i / 2) * (30 - i / 4) for i in range(600))])
