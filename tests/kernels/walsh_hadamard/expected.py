data = random("s32", 256, 33, -1000, 1000)
save("data", "s32", [sum(v * (-1) ** bin(i & k).count("1") for i, v in enumerate(data)) for k in range(256)])
