levels = [random("f32", 512, 31, -1.0, 1.0)]
for size in (4, 2, 1):
    levels.append(random("f32", size ** 3, 31 + size, -1.0, 1.0))
save("volume", "f32", sum(levels, []))
kinds = [bits % 3 for bits in random("u32", 62, 77)]
save("kinds", "s32", kinds)


def trilinear(level, at):
    size = 8 >> level
    texel = lambda x, y, z: Fraction(levels[level][sum(min(max(part, 0), size - 1) * size ** axis for axis, part in enumerate((x, y, z)))])
    places = [math.floor((part * size - Fraction(1, 2)) * 256 + Fraction(1, 2)) for part in at]
    (x, a), (y, b), (z, c) = ((place // 256, Fraction(place % 256, 256)) for place in places)
    weight = lambda part, next: part if next else 1 - part
    return sum((texel(x + p, y + q, z + r) * weight(a, p) * weight(b, q) * weight(c, r)
                for p in (0, 1) for q in (0, 1) for r in (0, 1)), Fraction(0))


def nearest(value):
    guess = bits32(f32(float(value)))
    return min((from_bits32(bits) for bits in (guess - 1, guess, guess + 1) if bits >= 0),
               key=lambda near: (abs(Fraction(near) - value), bits32(near) & 1))


out = []
for i, kind in enumerate(kinds):
    u, v, w = Fraction(4 * (i % 8) + 1, 32), Fraction(2 * (i // 8) + 1, 16), Fraction(3, 4) - Fraction(4 * (i % 8) + 1, 64)
    # The longer gradient has 2^(i % 4) / 2 texels of the first level, or a quarter of that in the other fetch: half of the step.
    if kind == 0:
        out.append(nearest(trilinear(max(i % 4 - 1, 0), (u, v, w))))
    elif kind == 1:
        fetched = nearest(trilinear(max(i % 4 - 2, 0), (v, u, u)))
        out.append(f32(float(Fraction(u) + 2 * Fraction(v)) + fetched))
    else:
        out.append(0.0)
save("out", "f32", out)
