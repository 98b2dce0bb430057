photo = random("u8", 70, 91)


def axis(position):
    """The two texels around a position, and the weight of the second in 256ths."""
    place = math.floor((position - Fraction(1, 2)) * 256 + Fraction(1, 2))
    return place // 256, place % 256


def mean(x, y):
    (i, a), (j, b) = axis(x), axis(y)
    texel = lambda i, j: photo[min(max(j, 0), 6) * 10 + min(max(i, 0), 9)]
    total = sum(texel(i + p, j + q) * (a if p else 256 - a) * (b if q else 256 - b) for p in (0, 1) for q in (0, 1))
    return nearest(Fraction(total, 255 * 65536))


def nearest(value):
    """The nearest single: a double of a fraction is correctly rounded, and a single's neighbours are told apart exactly."""
    guess = bits32(f32(float(value)))
    return min((from_bits32(bits) for bits in (guess - 1, guess, guess + 1) if bits >= 0),
               key=lambda near: (abs(Fraction(near) - value), bits32(near) & 1))


save("out", "f32", [mean(Fraction(2 * x + 1, 64) * 10, Fraction(2 * y + 1, 32) * 7) for y in range(16) for x in range(32)])
