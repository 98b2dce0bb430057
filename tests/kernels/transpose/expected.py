save("out", "u32", [y * 40 + x for x in range(40) for y in range(27)])
