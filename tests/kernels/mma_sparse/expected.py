# Two of every four are not zero; all are whole, so that sums are exact.
a = [0] * 512
for chunk, w in enumerate(random("u32", 128, 71)):
    first, second = [(i, j) for i in range(4) for j in range(i + 1, 4)][w % 6]
    a[chunk * 4 + first], a[chunk * 4 + second] = 1 + w // 6 % 50, -1 - w // 300 % 50
b = [w % 101 - 50 for w in random("u32", 256, 72)]
save("a", "f16", a)
save("b", "f16", b)
save("d", "f32", [float(1 + sum(a[r * 32 + k] * b[k * 8 + c] for k in range(32))) for r in range(16) for c in range(8)])
