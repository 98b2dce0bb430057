a, b, out, all_ones = random("u64", 64, 137), random("u64", 64, 138), [], (1 << 128) - 1
for t in range(32):
    x, y = a[2 * t] | a[2 * t + 1] << 64, b[2 * t] | b[2 * t + 1] << 64
    signed = lambda v: v - (1 << 128) if v >> 127 else v
    for v in (x + y, x - y, x * y, x >> (y & 127), x << (y & 127), x ^ y if signed(x) < signed(y) else ~x):
        out += [v & U64, v >> 64 & U64]
save("out", "u64", out)
