a, b, out = random("u8", 64, 121, 0, 4), random("u8", 1000, 122, 0, 4), []
for t in range(20):
    row = [0] * 65
    for letter in b[50 * t:50 * t + 50]:
        new = [0]
        for i in range(64):
            new.append(row[i] + 1 if a[i] == letter else max(row[i + 1], new[i]))
        row = new
    out.append(row[64])
save("out", "s32", out)
