out = []
for t in range(64):
    i = t // 4 % 4
    out.append([100 * i, i + 1, 1000 * (t + i), 10 * (i + 1)][t % 4] * 16 + (1 << t % 4))
save("out", "s32", out)
