save("out", "u32", [2 ** t - 1 if t % 2 else 77 for t in range(20)])
