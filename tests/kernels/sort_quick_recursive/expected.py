data = random("s32", 1320, 18)
save("data", "s32", [v for i in range(40) for v in sorted(data[33 * i:33 * i + 33])])
