# Every sum is exact. A is stored by rows and B by columns, two numbers in a byte.
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
SCALES = {0x30: 0.5, 0x38: 1.0, 0x3C: 1.5, 0x40: 2.0, 0x45: 3.25}


def numbers(bytes):
    codes = [byte >> shift & 15 for byte in bytes for shift in (0, 4)]
    return [-E2M1[code & 7] if code & 8 else E2M1[code] for code in codes]


a, b = random("u8", 128 * 32, 1), random("u8", 32 * 32, 2)
save("a", "u8", a)
save("b", "u8", b)
x, y = numbers(a), numbers(b)
# Four scales for each row; rows 32 apart are side by side.
p = [list(SCALES)[value % 5] for value in random("u8", 128 * 4, 3)]
q = [list(SCALES)[value % 5] for value in random("u8", 128 * 4, 4)]
save("sa", "u8", [p[4 * (lane + 32 * part) + block] for lane in range(32) for part in range(4) for block in range(4)])
save("sb", "u8", [q[4 * (lane + 32 * part) + block] for lane in range(32) for part in range(4) for block in range(4)])
save("out", "f32", [
    sum(x[64 * m + k] * SCALES[p[4 * m + k // 16]] * y[64 * n + k] * SCALES[q[4 * n + k // 16]] for k in range(64))
    for m in range(128)
    for n in range(32)
])
