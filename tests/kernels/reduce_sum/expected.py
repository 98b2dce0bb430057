save("total", "u32", [sum(random("u32", 3001, 1)) & U32])
