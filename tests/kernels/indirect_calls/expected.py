table, out = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, max], []
for word in random("s32", 64, 87, 0, 1000000):
    v = 1
    for i in range(4):
        v = s32(table[word >> 2 * i & 3](v, word % 100 + i))
    out.append(v)
save("out", "s32", out)
