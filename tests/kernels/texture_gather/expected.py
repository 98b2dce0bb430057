image = random("f16", 1040, 8, -4, 4)


def texel(x, y, channel):
    if not 0 <= x < 20:
        return (0.5, 0.0, 0.0, -2.0)[channel]
    return image[(min(max(y, 0), 12) * 20 + x) * 4 + channel]


out = []
for y in range(14):
    for x in range(21):
        # Below left, below right, above right, above left of the corner: rows grow downwards.
        corners = ((x - 1, y), (x, y), (x, y - 1), (x - 1, y - 1))
        red = [texel(*corner, 0) for corner in corners]
        alpha = [texel(*corner, 3) for corner in corners]
        out += [min(red), max(red), f32(red[3] - red[1]), f32(alpha[0] + 2 * alpha[1])]
save("out", "f32", out)
