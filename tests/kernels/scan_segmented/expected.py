out, total = [], 0
for value, head in zip(random("s32", 256, 6, -9, 10), random("u8", 256, 7, 0, 2)):
    total = value if head else total + value
    out.append(total)
save("out", "s32", out)
