points = [(x, y) for y in range(16) for x in range(16)]
spread = lambda v: int("".join("0" + c for c in format(v & 0xFFFF, "016b")), 2)
save("morton", "u32", [spread(x * 2047) | spread(y * 1023) << 1 for x, y in points])
save("back", "u32", [x * 2047 & 0xFFFF ^ (y * 1023 & 0xFFFF) << 16 for x, y in points])


def curve(n):
    """The Hilbert curve of a square of n by n, as a list of points: four smaller ones, two of them mirrored."""
    if n == 1:
        return [(0, 0)]
    part, h = curve(n // 2), n // 2
    return [(y, x) for x, y in part] + [(x, y + h) for x, y in part] + [(x + h, y + h) for x, y in part] + [(n - 1 - y, h - 1 - x) for x, y in part]


save("hilbert", "u32", [y * 16 + x for x, y in curve(16)])
