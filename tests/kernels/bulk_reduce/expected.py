data = random("u8", 5120, 9)
save("out", "u32", [data.count(value) for value in range(256)])
