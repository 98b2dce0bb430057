lower, diagonal, upper = (list(map(Fraction, random("f64", 192, s, *b))) for s, b in ((115, (-1.0, 1.0)), (116, (3.0, 4.0)), (117, (-1.0, 1.0))))
right, out = list(map(Fraction, random("f64", 192, 118, -10.0, 10.0))), [0.0] * 192
for t in range(16):
    # Gaussian elimination of the full matrix.
    m = [[Fraction(0)] * 13 for _ in range(12)]
    for i in range(12):
        at = i * 16 + t
        m[i][i], m[i][12] = diagonal[at], right[at]
        if i:
            m[i][i - 1] = lower[at]
        if i < 11:
            m[i][i + 1] = upper[at]
    for i in range(12):
        for r in range(12):
            if r != i and m[r][i]:
                factor = m[r][i] / m[i][i]
                m[r] = [a - factor * b for a, b in zip(m[r], m[i])]
    for i in range(12):
        out[i * 16 + t] = float(m[i][12] / m[i][i])
save("x", "f64", out)
