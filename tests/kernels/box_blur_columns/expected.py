data = random("u8", 640, 28)
save("out", "u8", [sum(data[v * 40 + x] for v in range(max(y - 2, 0), min(y + 3, 16))) // 5 for y in range(16) for x in range(40)])
