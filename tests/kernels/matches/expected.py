data = random("s32", 64, 83, 0, 10)
save("equal", "u32", [sum(1 << i for i in range(32) if data[t // 32 * 32 + i] == v) for t, v in enumerate(data)])
save("bins", "u32", [data.count(v) for v in range(10)])
