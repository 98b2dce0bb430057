image = random("s16", 16 * 3 * 9 * 32, 451, -9, 10)
filter = random("s16", 3 * 32, 452, -9, 10)
save("in", "s16", image)
save("filter", "s16", filter)


def product(n, x, element):
    """The sum over the channels of a pixel of row 1, or of zeros."""
    pixel = (n * 3 + 1) * 9 + x
    return sum(image[32 * pixel + c] * filter[32 * element + c] for c in range(32)) if 0 <= x < 9 and n < 16 else 0


# All pixels of that row in order, one of zeros before and after those of an image.
walk = [(n, x) for n in range(1, 16) for x in range(-1, 10)][3:]
sums = [sum(product(*walk[at + element], element) for element in range(3)) for at in range(128)]
save("out", "s32", sums + sums + [product(n, x + 1, 0) for n, x in walk[:128]])
