data = random("u32", 600, 142, 0, 256)
save("image", "u32", [sum(data[v * 30 + u] for v in range(y + 1) for u in range(x + 1)) for y in range(20) for x in range(30)])
