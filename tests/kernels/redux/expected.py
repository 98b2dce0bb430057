data = random("u32", 32, 9)
every = [sum(data) & U32, min(data), max(data), U32, 0, 0, min(s32(v) for v in data) & U32]
for v in data:
    every[3] &= v | 0xF0000000
    every[4] |= v & 0x00FF00FF
    every[5] ^= v
some = max(s32(v) for v in data[::3]) & U32
save("out", "u32", [w for lane in range(32) for w in every + [some if lane % 3 == 0 else 0]])
