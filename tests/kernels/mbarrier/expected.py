save("out", "s32", [2 * (32 * i + 31 - t) + i for i in range(6) for t in range(32)])
