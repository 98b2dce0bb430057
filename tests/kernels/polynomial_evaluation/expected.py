c, out = random("f64", 8, 144, -2.0, 2.0), []
for x in random("f64", 40, 145, -3.0, 3.0):
    value = c[7]
    for a in c[6::-1]:
        value = float(Fraction(value) * Fraction(x) + Fraction(a))
    out.append(value)
save("out", "f64", out)
