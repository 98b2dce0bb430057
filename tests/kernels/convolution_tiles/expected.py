height, width, channels, filters = 8, 12, 16, 16
image = [w % 256 - 128 for w in random("u32", height * width * channels, 231)]
weights = [w % 256 - 128 for w in random("u32", filters * 9 * channels, 232)]
save("image", "s8", image)
save("filter", "s8", weights)


def pixel(y, x, f):
    total = 0
    for tap in range(9):
        v, u = y + tap // 3 - 1, x + tap % 3 - 1
        if 0 <= v < height and 0 <= u < width:
            total += sum(image[(v * width + u) * channels + c] * weights[(f * 9 + tap) * channels + c] for c in range(channels))
    return total


save("out", "s32", [pixel(y, x, f) for y in range(height) for x in range(width) for f in range(filters)])
