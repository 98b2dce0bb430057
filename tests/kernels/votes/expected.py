data, out = random("s32", 64, 82, 0, 101), []
for t, v in enumerate(data):
    warp, lane = data[t // 32 * 32:t // 32 * 32 + 32], t % 32
    ballot = lambda test: sum(1 << i for i, w in enumerate(warp) if test(w))
    eq = 1 << lane
    out += [ballot(lambda w: w & 1), int(77 in warp), 1, ballot(lambda w: w & 2 and w & 4) if v & 2 else 0xDEAD,
            eq, eq - 1, 2 * eq - 1, U32 & ~(2 * eq - 1), U32 & ~(eq - 1),
            sum(w & 8 > 0 for w in data) | (100 in data) << 16 | 1 << 17]
save("out", "u32", out)
