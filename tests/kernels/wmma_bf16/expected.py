def bf16(v):
    """The nearest value with eight significant bits, ties to even."""
    unit = 1 << max(0, abs(v).bit_length() - 8)
    return round(Fraction(v, unit)) * unit


a, b = [bf16(i - 100) for i in range(512)], [bf16(60 - i) for i in range(512)]


def product(m, n):
    return [2 * (0.5 + sum(a[k * m + r] * b[c * 16 + k] for k in range(16))) for r in range(m) for c in range(n)]


save("wide", "f32", product(8, 32))
save("tall", "f32", product(32, 8))
