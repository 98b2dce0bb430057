keys = random("s32", 240, 132, -99, 100)
save("out", "s32", [k for t in range(12) for k in sorted(keys[20 * t:20 * t + 20])])
