a, b, out = random("u32", 64, 31, 0, 998244353), random("u32", 64, 32, 0, 998244353), [0] * 128
for i, x in enumerate(a):
    for j, y in enumerate(b):
        out[i + j] = (out[i + j] + x * y) % 998244353
save("c", "u32", out)
