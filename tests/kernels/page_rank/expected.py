source, target, rank = [i // 5 for i in range(300)], random("s32", 300, 126, 0, 60), [1 << 40] * 60
save("from", "s32", source)
for _ in range(2):
    new = [0] * 60
    for a, b in zip(source, target):
        new[b] += rank[a] // 5
    rank = [v // 100 * 85 + (15 << 40) // 100 for v in new]
save("rank", "u64", rank)
