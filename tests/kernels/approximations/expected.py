out = []
for x in random("f32", 96, 113, 0.01, 3.0):
    out += [1 / x, x ** -0.5, x ** 0.5, math.sin(x), 2.0 ** x, math.log2(x), 1.5 / x]
save("out", "f32", out)
