def clz(v, width=32):
    return width - v.bit_length()


def extract(v, at, count, signed):
    """Bits at, at + 1, … of a number of 32 bits that its sign extends."""
    wide = s32(v) if signed else v
    if count == 0:
        return 0
    field = [wide >> min(at + i, 31) & 1 if at + i < 32 else (v >> 31 if signed else 0) for i in range(min(count, 32))]
    if signed:
        top = v >> min(at + count - 1, 31) & 1
        field += [top] * (32 - len(field))
    return sum(bit << i for i, bit in enumerate(field))


def insert(a, b, at, count):
    for i in range(count):
        if at + i < 32:
            b = b & ~(1 << at + i) | (a >> i & 1) << at + i
    return b


def nth(mask, base, offset):
    if offset == 0:
        return base if mask >> base & 1 else U32
    places = [i for i in (range(base, 32) if offset > 0 else range(base, -1, -1)) if mask >> i & 1]
    return places[abs(offset) - 1] if abs(offset) <= len(places) else U32


data, out = random("u32", 288, 85), []
for t in range(96):
    a, b, c = data[3 * t:3 * t + 3]
    bytes_ = [(b << 32 | a) >> 8 * i & 255 for i in range(8)]
    wide, pair, low = a << 32 | b, b << 32 | a, a << b % 32 & U32
    sign = s32(a) < 0
    out += [
        bin(a).count("1"), clz(a >> b % 33), int(format(a, "032b")[::-1], 2), (low & -low).bit_length(),
        sum(bytes_[c >> 4 * i & 7] << 8 * i for i in range(4)),
        extract(a, b & 63, c & 63, False), extract(a, b & 63, c & 63, True), insert(a, b, c & 63, b & 63),
        a & b | ~a & U32 & c, a ^ b ^ c,
        pair << (c & 31) >> 32 & U32, pair >> (c & 31) & U32, pair << min(c & 63, 32) >> 32 & U32, pair >> min(c & 63, 32) & U32,
        bin(wide).count("1"), clz(wide >> (c & 63), 64), ((a >> (b & 31)).bit_length() - 1) & U32,
        clz(~a & U32 if sign else a) - 1 if (~a & U32 if sign else a) else U32,
        nth(a, b & 31, c % 9 - 4), ((1 << (c & 31)) - 1) << (b & 31) & U32,
    ]
# bfind.shiftamt counts the places to shift left until the highest bit found is bit 31.
for t in range(96):
    a = data[3 * t]
    v = ~a & U32 if s32(a) < 0 else a
    out[20 * t + 17] = 31 - (v.bit_length() - 1) if v else U32
save("out", "u32", out)
