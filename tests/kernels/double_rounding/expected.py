numbers = [from_bits64(w & 0x800FFFFFFFFFFFFF | (1023 - 20 + i % 41) << 52) for i, w in enumerate(random("u64", 128, 99))]
save("a", "f64", numbers[:64])
save("b", "f64", numbers[64:])


def directed(exact, mode):
    """A fraction rounded; float() of a fraction is the nearest double."""
    near = float(exact)
    if mode == "rn" or Fraction(near) == exact:
        return near
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    return math.nextafter(near, -math.inf) if mode == "rd" and near > exact else math.nextafter(near, math.inf) if mode == "ru" and near < exact else near


out = []
for x, y in zip(numbers[:64], numbers[64:]):
    p, q = Fraction(x), Fraction(y)
    out += [directed(p + q, "rn"), directed(p + q, "ru"), directed(p * q, "rz"), directed(p * q, "rd"), directed(p / q, "rn"), math.sqrt(abs(x)),
            directed(p * q - p, "rn"), directed(p * q + 1, "ru"), directed(1 / q, "rn"), directed(p / q, "rd")]
save("out", "f64", out)
