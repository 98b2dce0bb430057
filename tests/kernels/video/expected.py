def part(v, which, signed):
    """A byte (b0 to b3) or half (h0, h1) of a word as a number."""
    bits = 8 if which[0] == "b" else 16
    return as_type("%s%d" % ("s" if signed else "u", bits), v >> bits * int(which[1]))


data, out = random("u32", 192, 93), []
for t in range(64):
    a, b, c = data[3 * t:3 * t + 3]
    each = lambda v, bits, kind: [as_type("%s%d" % (kind, bits), v >> i) for i in range(0, 32, bits)]
    join = lambda values, bits: sum((v & (1 << bits) - 1) << bits * i for i, v in enumerate(values))
    out += [
        min(max(s32(a) + s32(b), -2 ** 31), 2 ** 31 - 1) & U32,
        part(a, "b1", False) + part(b, "h1", False) + c & U32,
        min(part(a, "b3", True) - part(b, "b0", False), s32(c)) & U32,
        abs(part(a, "h0", True) - part(b, "h1", True)) + c & U32,
        c & 0xFF00FFFF | (max(part(a, "b0", True), part(b, "b3", True)) & 255) << 16,
        a << (b & 31) & U32,
        s32(a) >> min(part(b, "b1", False), 31) & U32,
        part(a, "h1", True) * part(b, "b2", False) + s32(c) >> 7 & U32,
        int(part(a, "h0", True) >= part(b, "h0", True)),
        join([x + y for x, y in zip(each(a, 8, "u"), each(b, 8, "u"))], 8),
        join([abs(x - y) for x, y in zip(each(a, 8, "u"), each(b, 8, "u"))], 8)
        ^ join([0xFFFF * (x > y) for x, y in zip(each(a, 16, "u"), each(b, 16, "u"))], 16),
        sum(abs(x - y) for x, y in zip(each(a, 8, "u"), each(b, 8, "u"))) + join([max(x, y) for x, y in zip(each(a, 16, "s"), each(c, 16, "s"))], 16) & U32,
    ]
save("out", "u32", out)
