# A of 32 rows in e4m3 and B of 64 columns in e5m2, 192 elements each: multiples of 1/2 that have codes, with scales of 1/4
# to 4 for every 32 of them, so that sums are exact.
def codes(exponent, mantissa):
    bias = (1 << exponent - 1) - 1
    found = {}
    for code in range(127 - (1 << mantissa)):
        e, m = code >> mantissa, Fraction(code % (1 << mantissa), 1 << mantissa)
        found[(1 + m if e else m) * Fraction(2) ** (max(e, 1) - bias)] = code
    return found


def matrix(name, count, seed, values, table):
    chosen = [values[w % len(values)] * (1 - w // 64 % 2 * 2) for w in random("u32", count, seed)]
    save(name, "u8", [table[abs(value)] | (128 if value < 0 else 0) for value in chosen])
    return chosen


halves = [Fraction(i, 2) for i in range(9)]
a = matrix("a", 32 * 192, 311, halves, codes(4, 3))
b = matrix("b", 64 * 192, 312, halves, codes(5, 2))
scale_a, scale_b = ([w % 5 + 125 for w in random("u32", count * 6, seed)] for count, seed in ((32, 313), (64, 314)))
save("scale_a", "u8", scale_a)
save("scale_b", "u8", scale_b)


def dot(r, c):
    scale = lambda k: Fraction(2) ** (scale_a[r * 6 + k // 32] + scale_b[c * 6 + k // 32] - 254)
    total = sum(a[r * 192 + k] * b[c * 192 + k] * scale(k) for k in range(192))
    assert f32(float(total)) == total
    return float(total)


save("d", "f32", [dot(r, c) for r in range(32) for c in range(64)])
