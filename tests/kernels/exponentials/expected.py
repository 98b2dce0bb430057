out = []
for x in random("f32", 64, 112, -6.0, 6.0):
    out += [math.exp(x), math.log(abs(x) + 0.1), (abs(x) + 0.5) ** 1.7, math.tanh(x), math.sin(x), math.atan(min(abs(x), 1.0))]
save("out", "f32", out)
