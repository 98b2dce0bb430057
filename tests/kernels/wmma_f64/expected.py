a, b = random("f64", 256, 51, -4, 4), random("f64", 256, 52, -1, 1)


def dot(r, c):
    total = 0.0
    for k in range(32):
        total = float(Fraction(a[r * 32 + k]) * Fraction(b[c * 32 + k]) + Fraction(total))
    return total


save("d", "f64", [dot(r, c) for r in range(8) for c in range(8)])
