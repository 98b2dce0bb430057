data = random("f32", 384, 56, -1.0, 1.0)
bodies, out = [data[4 * i:4 * i + 4] for i in range(96)], []
for own in bodies:
    a = [0.0] * 3
    for other in bodies:
        way = [other[k] - own[k] for k in range(3)]
        s = other[3] * (sum(d * d for d in way) + 0.01) ** -1.5
        a = [v + d * s for v, d in zip(a, way)]
    out += a
save("out", "f32", out)
