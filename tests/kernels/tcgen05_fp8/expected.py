# Numbers that e4m3 and e5m2 have exactly; every sum is exact. B is stored by columns.
def e4m3(code):
    exponent, fraction = code >> 3 & 15, code & 7
    value = fraction / 8 * 2.0**-6 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7)
    return -value if code >> 7 else value


def e5m2(code):
    exponent, fraction = code >> 2 & 31, code & 3
    value = fraction / 4 * 2.0**-14 if exponent == 0 else (1 + fraction / 4) * 2.0 ** (exponent - 15)
    return -value if code >> 7 else value


# Magnitudes from 2^-2 to 15 and to 14.
a = [value & 0x80 | 0x28 + value % 0x28 for value in random("u8", 128 * 64, 1)]
b = [value & 0x80 | 0x34 + value % 0x18 for value in random("u8", 32 * 64, 2)]
save("a", "u8", a)
save("b", "u8", b)
x, y = [e4m3(code) for code in a], [e5m2(code) for code in b]
save("out", "f32", [sum(x[64 * m + k] * y[64 * n + k] for k in range(64)) for m in range(128) for n in range(32)])
