# Every value is a multiple of 1/4 of 4 bits at most, so that it has a code and all sums are exact.
small = [i / 4 for i in range(-16, 17)]
a, b = ([small[w % 33] for w in random("u32", n, seed)] for n, seed in ((512, 150), (256, 151)))
save("a", "f32", a)
save("b", "f32", b)
save("d", "f32", [sum(a[r * 32 + k] * b[k * 8 + n] for k in range(32)) for r in range(16) for n in range(8)])
table = {}
for code in range(127):
    e, m = code >> 3, code & 7
    table[code] = Fraction(m, 8) * Fraction(1, 64) if e == 0 else (1 + Fraction(m, 8)) * Fraction(2) ** (e - 7)


def e4m3(value):
    size = min(abs(Fraction(value)), Fraction(448))
    code = min(table, key=lambda c: (abs(table[c] - size), c & 1))
    return code | (128 if value < 0 or math.copysign(1, value) < 0 else 0)


save("codes", "u8", [e4m3(f32(v * 37.0)) for v in a[:32]])
