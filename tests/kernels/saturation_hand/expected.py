data, out = random("s32", 128, 139), []
s16 = lambda v: as_type("s16", v)
for t in range(64):
    a, b = data[2 * t:2 * t + 2]
    clamp = lambda v: min(max(v, -2 ** 31), 2 ** 31 - 1)
    odd, less = a & 1, a < b
    # The first predicate is (a < b) and odd, the second not (a < b) and odd.
    low, high = s16(a), s16(a >> 16)
    out += [clamp(a + b), clamp(a - b), s32(a * b), a * b >> 32, (10 if less and odd else 20) + (5 if not less and odd else 0),
            a if b >= 0 else b, low * high, s16(low * s16(low * high) + high)]
save("out", "s32", out)
