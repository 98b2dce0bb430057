values = random("s32", 192, 131, 0, 10000)
save("sums", "s32", [sum(v for v in values if v % 13 == b) for b in range(13)])
