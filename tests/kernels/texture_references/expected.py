image = [Fraction(max(value, -32767), 32767) for value in random("s16", 48, 21)]


def nearest(value):
    guess = bits32(f32(float(abs(value))))
    near = min((from_bits32(bits) for bits in (guess - 1, guess, guess + 1) if bits >= 0),
               key=lambda near: (abs(Fraction(near) - abs(value)), bits32(near) & 1))
    return -near if value < 0 else near


def texel(x, y, channel):
    return image[(min(max(y, 0), 3) * 6 + x) * 2 + channel]


def mirrored(x):
    return min(x % 12, 11 - x % 12)


result = []
for row in range(8):
    for column in range(32):
        x, y = (Fraction(column, 16) - Fraction(1, 2)) * 6, Fraction(row, 8) * 4
        places = [math.floor((at - Fraction(1, 2)) * 256 + Fraction(1, 2)) for at in (x, y)]
        (i, a), (j, b) = ((place // 256, Fraction(place % 256, 256)) for place in places)
        for channel in (0, 1):
            smooth = sum(texel(mirrored(i + p), j + q, channel) * (a if p else 1 - a) * (b if q else 1 - b)
                         for p in (0, 1) for q in (0, 1))
            sharp = texel(math.floor(x) % 6, math.floor(y), channel)
            result.append(f32(nearest(smooth) - nearest(sharp)))
save("result", "f32", result)
