keys = random("u32", 400, 130, 0, 150)
save("found", "u32", [keys.count(k) for k in range(160)])
