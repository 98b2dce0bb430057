# Small whole numbers: every sum is exact.
image = [float(value) for value in random("s32", 3 * 64 * 8, 1, -9, 10)]
weights = [float(value) for value in random("s32", 9 * 8, 2, -9, 10)]
out = []
for n in range(3):
    for y in range(8):
        for x in range(8):
            total = 0
            for dy in range(3):
                for dx in range(3):
                    v, u = y + dy - 1, x + dx - 1
                    if 0 <= v < 8 and 0 <= u < 8:
                        pixel = ((n * 8 + v) * 8 + u) * 8
                        weight = (dy * 3 + dx) * 8
                        total += sum(image[pixel + c] * weights[weight + c] for c in range(8))
            out.append(total)
save("in", "f16", image)
save("filter", "f16", weights)
save("out", "f32", out)
