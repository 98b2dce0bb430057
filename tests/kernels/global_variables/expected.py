words, table = ["one", "two", "three"], [[1, 2, 3], [-4, -5, -6]]
save("out", "s32", [s32(([3, 0][t % 2]) * 100 + table[t & 1][t % 3] + sum(map(ord, words[t % 3])) + (0xFEDCBA9876543210 >> 4 * t)) for t in range(12)])
