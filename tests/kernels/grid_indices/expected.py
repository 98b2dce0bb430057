out = []
for block in range(12):
    for thread in range(60):
        out += [block % 2 | block // 2 % 3 << 8 | block // 6 << 16, thread % 5 | thread // 5 % 3 << 8 | thread // 15 << 16, thread % 32 | 256, 12060]
save("out", "u32", out)
