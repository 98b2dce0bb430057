save("out", "s32", [(t ^ 32) ** 2 - (t - 64 if t >= 64 else 0) for t in range(128)])
