data = random("u32", 2432, 4)
out = []
for lane in range(128):
    total = 0
    for block in range(19):
        total = total * 3 + data[128 * block + lane]
    out.append(total & U32)
save("out", "u32", out)
