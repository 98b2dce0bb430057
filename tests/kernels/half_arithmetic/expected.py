half = lambda v: as_type("f16", v)


def nearest(value):
    """The nearest half of a fraction: by way of a double that is odd where it is inexact."""
    if value == 0:
        return 0.0
    double = float(value)
    if Fraction(double) != value and bits64(double) & 1 == 0:
        double = from_bits64(bits64(double) + (-1 if abs(Fraction(double)) > abs(value) else 1))
    return half(double)


a, b, out, compared = random("f16", 100, 95, -100.0, 100.0), random("f16", 100, 96, -1.0, 1.0), [], []
for t in range(50):
    x, y = a[2 * t:2 * t + 2], b[2 * t:2 * t + 2]
    pairs = list(zip(x, y))
    out += [half(p + q) for p, q in pairs] + [half(p * q) for p, q in pairs]
    out += [nearest(Fraction(p) * Fraction(q) + Fraction(1, 2)) for p, q in pairs]
    out += [min(p, q) for p, q in pairs] + [half(p - q) for p, q in pairs]
    out += [min(max(half(x[0] + y[1]), 0.0), 1.0), half(math.sqrt(abs(x[0])))] + [-abs(p) for p in x]
    compared.append((0xFFFF * (x[0] > y[0]) | 0xFFFF0000 * (x[1] > y[1])) ^ int(x[0] <= y[0]))
save("out", "f16", out)
save("compared", "u32", compared)
