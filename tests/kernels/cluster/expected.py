data, out = random("s32", 256, 100, -1000, 1000), []
for block in range(8):
    for t in range(32):
        total = 0
        for i in range(4):
            total = total * 3 + data[(block // 4 * 4 + (block + i) % 4) * 32 + 31 - t]
        out.append(total)
save("out", "s32", out)
