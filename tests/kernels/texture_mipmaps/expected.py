levels = [random("f32", 256, 6)]
save("image", "f32", levels[0] + [0.0] * 85)
for size in (8, 4, 2, 1):
    above, level = levels[-1], []
    for y in range(size):
        for x in range(size):
            total = 0.0
            for part in range(4):
                total = f32(total + above[(2 * y + part // 2) * 2 * size + 2 * x + part % 2])
            level.append(f32(total / 4))
    levels.append(level)
save("chain", "f32", sum(levels, []))


def nearest(value):
    guess = bits32(f32(float(value)))
    return min((from_bits32(bits) for bits in (guess - 1, guess, guess + 1) if bits >= 0),
               key=lambda near: (abs(Fraction(near) - value), bits32(near) & 1))


def bilinear(level, u, v):
    size = 16 >> level
    texel = lambda x, y: Fraction(levels[level][min(max(y, 0), size - 1) * size + min(max(x, 0), size - 1)])
    places = [math.floor((at * size - Fraction(1, 2)) * 256 + Fraction(1, 2)) for at in (u, v)]
    (x, a), (y, b) = ((place // 256, Fraction(place % 256, 256)) for place in places)
    return sum((texel(x + p, y + q) * (a if p else 1 - a) * (b if q else 1 - b) for p in (0, 1) for q in (0, 1)), Fraction(0))


def trilinear(u, v, detail):
    detail = min(max(detail, Fraction(0)), Fraction(7, 2))
    place = math.floor(detail * 256 + Fraction(1, 2))
    level, part = place // 256, Fraction(place % 256, 256)
    value = bilinear(level, u, v) * (1 - part)
    return nearest(value + bilinear(level + 1, u, v) * part if part else value)


places = [Fraction(4 * x + 1, 64) for x in range(16)]
out = [trilinear(u, 1 - u, Fraction(3 * level, 8)) for level in range(6) for u in places]
# The longer gradient is 2^level / 8 of 16 texels.
out += [trilinear(u, u, Fraction(level + 1)) for level in range(6) for u in places]
save("out", "f32", out)
