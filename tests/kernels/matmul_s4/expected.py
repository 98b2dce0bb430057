# A of 64 rows and B of 64 columns of 48 words, eight numbers in each. A product that saturates clamps after each 64 numbers.
words = [random("u32", 64 * 48, seed) for seed in (381, 382)]
unsigned = [[[w >> 4 * i & 15 for w in m[line * 48:][:48] for i in range(8)] for line in range(64)] for m in words]
signed = [[[(v ^ 8) - 8 for v in line] for line in m] for m in unsigned]


def product(a, b, start, clamped=False):
    out = []
    for x in a:
        for y in b:
            total = start
            for k in range(0, 384, 64):
                total += sum(p * q for p, q in zip(x[k:k + 64], y[k:k + 64]))
                total = max(-1 << 31, min((1 << 31) - 1, total)) if clamped else s32(total)
            out.append(total)
    return out


save("s", "s32", product(signed[0], signed[1], -5))
save("u", "s32", product(unsigned[0], unsigned[1], 3))
save("m", "s32", product(signed[0], unsigned[1], 2147482000, True))
