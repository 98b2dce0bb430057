number = lambda words: sum(w << 32 * i for i, w in enumerate(words))
words = lambda number, count: [number >> 32 * i & U32 for i in range(count)]
a, b, product, total = random("u32", 192, 67), random("u32", 192, 68), [], []
for i in range(24):
    x, y = a[8 * i:8 * i + 8], b[8 * i:8 * i + 8]
    product += words(number(x) * number(y), 16)
    total += words(number(x[:4]) + number(y[:4]), 4) + words(number(x[:4]) - number(y[:4]), 4)
save("product", "u32", product)
save("sum", "u32", total)
