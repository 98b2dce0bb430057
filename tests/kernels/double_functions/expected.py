out = []
for x in random("f64", 64, 114, -8.0, 8.0):
    out += [math.exp(x), math.log(abs(x) + 0.25), math.copysign(abs(x) ** (1 / 3), x),
            math.hypot(x, 3.0) + math.floor(x) + math.ceil(x * 2) + round(x * 3) + math.trunc(x * 5)]
save("out", "f64", out)
