data, out = random("f32", 192, 34, -128.0, 128.0), []
for block in range(3):
    for v in range(8):
        for u in range(8):
            total = sum(data[block * 64 + y * 8 + x] * math.cos((2 * x + 1) * u * math.pi / 16) * math.cos((2 * y + 1) * v * math.pi / 16)
                        for y in range(8) for x in range(8))
            out.append(total / 4 * (0.5 ** 0.5 if u == 0 else 1) * (0.5 ** 0.5 if v == 0 else 1))
save("out", "f32", out)
