out = []
for x in random("f32", 64, 112, -6.0, 6.0):
    out += [math.exp(x), math.log(abs(x) + 0.1), math.sin(x), math.cos(x), math.tanh(x), 2.0 ** x, abs(x) ** f32(1.7), math.atan2(x, 2.0),
            math.copysign(abs(x) ** (1 / 3), x), math.erf(x)]
save("out", "f32", out)
