a = [Fraction(v) for v in random("f32", 1024, 20, -1.0, 1.0)]
b = [Fraction(v) for v in random("f32", 1024, 21, -1.0, 1.0)]


def nearest(value):
    """The nearest single of a fraction; Fraction to float rounds once, so that rounding the odd-rounded double is exact."""
    double = float(value)
    if Fraction(double) != value and bits64(double) & 1 == 0:
        down = abs(Fraction(double)) > abs(value)
        double = from_bits64(bits64(double) - 1 if down else bits64(double) + 1)
    return Fraction(f32(double))


out = []
for row in range(32):
    for column in range(32):
        total = Fraction(0)
        for i in range(32):
            total = nearest(a[row * 32 + i] * b[i * 32 + column] + total)
        out.append(float(total))
save("c", "f32", out)
