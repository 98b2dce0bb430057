data = random("s32", 640, 72, -99, 100)
save("partial", "s32", [sum(data[32 * i:32 * i + 32]) for i in range(20)])
save("total", "s32", [sum(data)])
