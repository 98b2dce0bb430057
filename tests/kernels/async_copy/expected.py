save("out", "u32", [i * 128 + v for i in range(5) for v in range(127, -1, -1)])
