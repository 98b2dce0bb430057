volume = [Fraction(value) for value in random("f32", 120, 5, -1, 3)]
SIZE = (6, 5, 4)


def wrapped(index, size):
    return index % size


def mirrored(index, size):
    index %= 2 * size
    return index if index < size else 2 * size - 1 - index


MODES = (wrapped, mirrored, wrapped)


def nearest(value):
    guess = bits32(f32(float(abs(value))))
    near = min((from_bits32(bits) for bits in (guess - 1, guess, guess + 1) if bits >= 0),
               key=lambda near: (abs(Fraction(near) - abs(value)), bits32(near) & 1))
    return -near if value < 0 else near


def sample(*coordinates):
    corners = [(Fraction(1), ())]
    for coordinate, size, mode in zip(coordinates, SIZE, MODES):
        place = math.floor((coordinate * size - Fraction(1, 2)) * 256 + Fraction(1, 2))
        first, weight = place // 256, Fraction(place % 256, 256)
        corners = [(own * part, (*at, mode(first + step, size))) for own, at in corners
                   for step, part in ((0, 1 - weight), (1, weight))]
    return nearest(sum(own * volume[(z * 5 + y) * 6 + x] for own, (x, y, z) in corners))


samples, sums = [], []
for ray in range(24):
    total = 0.0
    for step in range(20):
        value = sample(Fraction(ray * 9, 128) - 1, Fraction(step * 7, 64), Fraction((ray + step) * 3, 64))
        samples.append(value)
        total = f32(total + value)
    sums.append(total)
save("samples", "f32", samples)
save("sums", "f32", sums)
