out = []
for x in random("f64", 64, 114, -8.0, 8.0):
    out += [math.exp(x), math.log(abs(x) + 0.25), math.sin(x * 10), abs(x) ** 2.5, math.fmod(x * 100, 0.7),
            math.hypot(x, 3.0) + math.floor(x) + round(x * 3) + math.copysign(abs(x) ** (1 / 3), x)]
save("out", "f64", out)
