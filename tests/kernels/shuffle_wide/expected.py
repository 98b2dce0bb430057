save("out", "f64", random("f64", 32, 81)[::-1])
low, high = [i << 40 for i in range(16)], [i << 40 for i in range(16, 32)]
for d in (8, 4, 2, 1):
    low = [v + (low[i + d] if i + d < 16 else v) for i, v in enumerate(low)]
for d in (1, 2, 4, 8):
    high = [v - high[i ^ d] for i, v in enumerate(high)]
save("sums", "s64", low + high)
