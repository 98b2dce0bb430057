parts = lambda v, kind, bits: [as_type("%s%d" % (kind, bits), v >> i) for i in range(0, 32, bits)]
dot = lambda x, y, c: s32(sum(p * q for p, q in zip(x, y)) + c)
data, out = random("u32", 144, 94), []
for t in range(48):
    a, b, c = data[3 * t:3 * t + 3]
    signed, plain = parts(b, "s", 8), parts(b, "u", 8)
    out += [dot(parts(a, "s", 8), signed, c), dot(parts(a, "u", 8), plain, c), dot(parts(a, "s", 16), signed[:2], c),
            dot(parts(a, "s", 16), signed[2:], c), dot(parts(a, "u", 16), plain[:2], c), dot(parts(a, "s", 8), plain, c)]
save("out", "s32", out)
