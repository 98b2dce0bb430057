data = random("u32", 250, 3, 0, 20)
top = max(data)
save("best", "u64", [top << 32 | (U32 - data.index(top))])
