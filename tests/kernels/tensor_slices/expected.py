W, H, SLICES = 7, 5, 3


def images(prefix, count, channels, seed):
    """What there is, the same with the channels of a pixel side by side, and doubled where a box that is written reaches: from the fourth pixel on."""
    data = random("u16", count * SLICES * H * W * channels, seed)
    at = lambda n, s, y, x, c: (((n * SLICES + s) * H + y) * W + x) * channels + c
    save(prefix + "in", "u16", data)
    save(prefix + "flat", "u16", [data[at(n, s, y, x, c)] for n in range(count) for y in range(H) for x in range(W) for s in range(SLICES) for c in range(channels)])
    save(prefix + "doubled", "u16", [data[i] * 2 & 0xFFFF if i // channels % W >= 3 else 0 for i in range(len(data))])
    return lambda n, s, y, x: [data[at(n, s, y, x, c)] for c in range(channels)] if 0 <= x < W and 0 <= y < H and 0 <= n < count else [0] * channels


slice_of = images("", 2, 8, 461)
images("wide_", 1, 16, 462)
# The box of the pixels goes from -1 to 5 in W and from -1 to 3 in H.
walk = [(n, y, x) for n in range(2) for y in range(-1, 4) for x in range(-1, 6)]
start = walk.index((0, 0, 1))
save("under", "u16", [number for n, y, x in walk[start:start + 24] for number in slice_of(n, 1, y + 2, x + 1)])
