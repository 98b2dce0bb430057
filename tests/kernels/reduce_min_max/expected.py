data = random("s32", 777, 5)
save("result", "s32", [min(data), max(data)])
