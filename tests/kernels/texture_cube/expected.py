sky = [Fraction(value) for value in random("f32", 150, 13)]
skies = random("f32", 108, 14)
directions = [Fraction(value) for value in random("f32", 192, 15, -2, 2)]


def face(x, y, z):
    """The face, and the place on it, 0 to 1."""
    number, m, s, t = max((
        (0, x, -z, -y), (1, -x, z, -y), (2, y, x, z), (3, -y, x, -z), (4, z, x, -y), (5, -z, -x, -y),
    ), key=lambda row: row[1])
    return number, (s / m + 1) / 2, (t / m + 1) / 2


def nearest(value):
    guess = bits32(f32(float(value)))
    return min((from_bits32(bits) for bits in (guess - 1, guess, guess + 1) if bits >= 0),
               key=lambda near: (abs(Fraction(near) - value), bits32(near) & 1))


out = []
for i in range(64):
    number, s, t = face(*directions[3 * i:3 * i + 3])
    texel = lambda x, y: sky[(number * 5 + min(max(y, 0), 4)) * 5 + min(max(x, 0), 4)]
    places = [math.floor((at * 5 - Fraction(1, 2)) * 256 + Fraction(1, 2)) for at in (s, t)]
    (x, a), (y, b) = ((place // 256, Fraction(place % 256, 256)) for place in places)
    out.append(nearest(sum(texel(x + p, y + q) * (a if p else 1 - a) * (b if q else 1 - b) for p in (0, 1) for q in (0, 1))))
    x, y = (min(math.floor(at * 3), 2) for at in (s, t))
    out.append(skies[((i & 1) * 6 + number) * 9 + y * 3 + x])
save("out", "f32", out)
