# Scales of powers of two; every sum is exact. B is stored by columns, two numbers in a byte.
def e4m3(code):
    exponent, fraction = code >> 3 & 15, code & 7
    value = fraction / 8 * 2.0**-6 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7)
    return -value if code >> 7 else value


E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
a = [value & 0x80 | 0x30 + value % 0x18 for value in random("u8", 128 * 64, 1)]
b = random("u8", 32 * 32, 2)
save("a", "u8", a)
save("b", "u8", b)
x = [e4m3(code) for code in a]
nibbles = [byte >> shift & 15 for byte in b for shift in (0, 4)]
y = [-E2M1[code & 7] if code & 8 else E2M1[code] for code in nibbles]
# Four bytes for each row: of them two are used. Rows 32 apart are side by side.
p = [125 + value % 5 for value in random("u8", 128 * 4, 3)]
q = [125 + value % 5 for value in random("u8", 128 * 4, 4)]
save("sa", "u8", [p[4 * (lane + 32 * part) + block] for lane in range(32) for part in range(4) for block in range(4)])
save("sb", "u8", [q[4 * (lane + 32 * part) + block] for lane in range(32) for part in range(4) for block in range(4)])


def scale(codes, line, k):
    return 2.0 ** (codes[4 * line + k // 32] - 127)


save("out", "f32", [
    sum(x[64 * m + k] * scale(p, m, k) * y[64 * n + k] * scale(q, n, k) for k in range(64))
    for m in range(128)
    for n in range(32)
])
