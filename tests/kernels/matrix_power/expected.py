out, now = [], [1, 0, 0, 1]
for t in range(32):
    out += now
    for _ in range(37):
        a, b, c, d = now
        now = [v & U32 for v in (3 * a + 4 * b, a + b, 3 * c + 4 * d, c + d)]
save("out", "u32", out)
