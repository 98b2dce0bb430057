data = random("s32", 64, 140, 0, 100)
save("sums", "s32", [sum(data[8 * i:8 * i + 8]) for i in range(8)])
ranks = []
for t, v in enumerate(data):
    warp = data[t // 32 * 32:t // 32 * 32 + 32]
    multiples = [i for i, w in enumerate(warp) if w % 3 == 0]
    ranks.append(multiples.index(t % 32) * 100 + len(multiples) if v % 3 == 0 else -1)
save("ranks", "s32", ranks)
