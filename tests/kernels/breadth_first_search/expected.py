edges = random("s32", 300, 48, 0, 100)
save("levels_before", "s32", [0] + [-1] * 99)
levels, queue = [0] + [-1] * 99, [0]
for node in queue:
    for to in edges[3 * node:3 * node + 3]:
        if levels[to] < 0 and levels[node] < 6:
            levels[to] = levels[node] + 1
            queue.append(to)
save("levels", "s32", levels)
