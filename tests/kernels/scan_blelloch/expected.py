data = random("u32", 256, 4)
save("data", "u32", [sum(data[:i]) & U32 for i in range(256)])
