ends = [0, 1, -1, 2, 31, 32, 33, 63, 64, 65, 2 ** 31 - 1, -2 ** 31, 2 ** 32, 2 ** 63 - 1, -2 ** 63, 10]
noise = random("s64", 128, 92)
numbers = [(ends[i % 16] if i % 4 else n >> n % 60) for i, n in enumerate(noise)]
numbers = [ends[noise[i] % 16] if i % 3 == 1 else n for i, n in enumerate(numbers)]
save("in", "s64", numbers)


def quotient(a, b):
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


s64 = lambda v: as_type("s64", v)
out = []
for a, b in zip(numbers[::2], numbers[1::2]):
    x, y, ua, ub = s32(a), s32(b), a & U64, b & U64
    shift = y & U32
    out += [s64(a + b), s64(a * b), a * b >> 64, s64(ua * ub >> 64)]
    out += [quotient(a, b), a - b * quotient(a, b)] if b not in (0, -1) else [0, 0]
    out += [s64(ua // ub), s64(ua % ub)] if b else [0, 0]
    out += [quotient(x, y), x - y * quotient(x, y)] if y not in (0, -1) else [0, 0]
    out += [(x & U32) // (y & U32) if y else 0, x * y >> 32]
    out += [s64(a << shift) if shift < 64 else 0, a >> min(shift, 63), s64(ua >> shift) if shift < 64 else 0]
    out += [abs(x - y) + 5 & U32, (x + y) >> 1, s64(abs(a) + min(a, b) + max(x, y))]
save("out", "s64", out)
