out = []
for y in range(40):
    for x in range(42):
        cr, ci, r, i, n = -2.0 + x * 0.0625, -1.25 + y * 0.0625, 0.0, 0.0, 0
        while n < 100 and r * r + i * i <= 4.0:
            r, i, n = r * r - i * i + cr, 2.0 * r * i + ci, n + 1
        out.append(n)
save("out", "u16", out)
