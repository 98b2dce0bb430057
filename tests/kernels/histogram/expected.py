data = random("u8", 4000, 19, 40, 200)
save("bins", "u32", [data.count(v) for v in range(256)])
