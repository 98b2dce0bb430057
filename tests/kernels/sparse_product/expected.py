starts = [i * i * 700 // 400 for i in range(21)]
save("starts", "s32", starts)
columns = random("s32", 700, 125, 0, 50)
save("y", "f64", [float(sum((i - 300) * (columns[i] - 25) for i in range(starts[r], starts[r + 1]))) for r in range(20)])
