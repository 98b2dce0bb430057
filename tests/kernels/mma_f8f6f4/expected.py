# A row of 16 elements is 16 bytes, of which the first eight (twelve) count. e2m1 and e2m3 have a bias of 1.
def elements(words, bits, mantissa):
    out = []
    for row in range(len(words) // 4):
        packed = sum(w << (32 * i) for i, w in enumerate(words[row * 4:row * 4 + 4]))
        codes = [packed >> (bits * i) & ((1 << bits) - 1) for i in range(16)]
        one = 1 << mantissa
        for code in codes:
            exponent, fraction = code >> mantissa & 3, code & (one - 1)
            size = Fraction(fraction, one) if exponent == 0 else Fraction(one + fraction, one) * 2 ** (exponent - 1)
            out.append(-size if code >> (bits - 1) else size)
    return out


a, b = elements(random("u32", 128, 91), 4, 1), elements(random("u32", 64, 92), 6, 3)
# Matrices of 8x16 one after the other: A's are rows 0-7, rows 8-15, and the same of columns 16-31; B's hold columns of B.
left = lambda r, k: a[(k // 16 * 2 + r // 8) * 128 + r % 8 * 16 + k % 16]
right = lambda k, c: b[k // 16 * 128 + c * 16 + k % 16]
save("d", "f32", [float(sum(left(r, k) * right(k, c) for k in range(32))) for r in range(16) for c in range(8)])
