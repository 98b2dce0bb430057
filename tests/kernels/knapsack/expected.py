best = [0] * 201
for weight, value in zip(random("s32", 25, 123, 1, 40), random("s32", 25, 124, 1, 100)):
    for w in range(200, weight - 1, -1):
        best[w] = max(best[w], best[w - weight] + value)
save("best", "s32", best)
