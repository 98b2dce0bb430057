def bf16(value):
    """The bits nearest to a fraction, ties to even; all values here are normal."""
    value = Fraction(value)
    if value == 0:
        return 0
    sign, size, e = int(value < 0), abs(value), 0
    e = size.numerator.bit_length() - size.denominator.bit_length()
    e -= Fraction(2) ** e > size
    scaled = round(size / Fraction(2) ** (e - 7))
    return sign << 15 | (e + 127 - 1 << 7) + scaled


value = lambda bits: Fraction(from_bits32(bits << 16))
out = []
for a, b in zip(random("f32", 64, 97, -3.0, 3.0), random("f32", 64, 98, -1000.0, 1000.0)):
    x, y = bf16(a), bf16(b)
    out += [x, bits32(a) >> 16, bf16(value(x) * value(y) + value(x)), max(x, y, key=value), bf16(value(y) * value(y) + value(x))]
save("out", "u16", out)
