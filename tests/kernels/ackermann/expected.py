save("out", "u32", [[t // 3 + 1, t // 3 + 2, 2 * (t // 3) + 3][t % 3] for t in range(36)])
