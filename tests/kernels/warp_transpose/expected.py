rows = random("u32", 32, 84)
save("out", "u32", [sum((rows[i] >> lane & 1) << i for i in range(32)) for lane in range(32)])
