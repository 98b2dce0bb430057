points, centres = random("s32", 340, 119, -1000, 1000), random("s32", 10, 120, -1000, 1000)
nearest, sums = [], [0] * 15
for x, y in zip(points[::2], points[1::2]):
    c = min(range(5), key=lambda c: ((x - centres[2 * c]) ** 2 + (y - centres[2 * c + 1]) ** 2, c))
    nearest.append(c)
    for i, v in enumerate((x, y, 1)):
        sums[3 * c + i] += v
save("nearest", "s32", nearest)
save("sums", "s32", sums)
