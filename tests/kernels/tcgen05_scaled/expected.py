# A of 256 rows and B of 128 columns, 384 elements each, with a scale for each 32; powers of two and few bits, so that sums are exact.
def value(code, bits):
    bias = (1 << 6 - bits) - 1
    exponent, fraction = code >> bits & (1 << 7 - bits) - 1, (code & (1 << bits) - 1) / (1 << bits)
    magnitude = fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - bias)
    return -magnitude if code >> 7 else magnitude


# e4m3 from 1/2 to 4, e5m2 from 1/2 to 4, either sign.
a = [w & 0x80 | 0x30 + w % 0x18 for w in random("u8", 256 * 384, 411)]
b = [w & 0x80 | 0x38 + w % 0x0C for w in random("u8", 128 * 384, 412)]
sa = [[125 + w % 5 for w in random("u8", 256 * 12, 413)[12 * line:][:12]] for line in range(256)]
sb = [[125 + w % 5 for w in random("u8", 128 * 12, 414)[12 * line:][:12]] for line in range(128)]
save("a", "u8", a)
save("b", "u8", b)


def tiles(scales, lines):
    """512 bytes for each tile and round: line l of a tile in its 32 x 16 bytes at row l % 32, word l / 32."""
    out = []
    for tile in range(0, len(scales), lines):
        for round in range(3):
            block = [127] * 512
            for line in range(lines):
                at = line % 32 * 16 + line // 32 * 4
                block[at:at + 4] = scales[tile + line][4 * round:4 * round + 4]
            out += block
    return out


save("sa", "u8", tiles(sa, 128))
save("sb", "u8", tiles(sb, 64))
scaled = lambda m, scales, bits: [[value(m[384 * r + k], bits) * 2.0 ** (row[k // 32] - 127) for k in range(384)] for r, row in enumerate(scales)]
x, y = scaled(a, sa, 3), scaled(b, sb, 2)
out = [sum(p * q for p, q in zip(r, c)) for r in x for c in y]
assert all(f32(total) == total for total in out)
save("d", "f32", out)
