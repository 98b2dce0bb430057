values = [w & 0x7FF for w in random("u32", 32, 71)]
whole = sum(v << 11 * i for i, v in enumerate(values))
save("packed", "u32", [whole >> 32 * i & U32 for i in range(11)])
save("unpacked", "u32", values)
