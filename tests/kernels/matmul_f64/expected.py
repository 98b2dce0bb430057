# A of 16 rows and B of 64 columns, 32 doubles each: multiples of 2^-20 below 2^5, so that products and sums are exact.
def matrix(name, count, seed):
    values = [(w % (1 << 25) - (1 << 24)) / (1 << 20) for w in random("u32", count, seed)]
    save(name, "f64", values)
    return values


a, b = matrix("a", 16 * 32, 321), matrix("b", 64 * 32, 322)
line = lambda m, i: map(Fraction, m[i * 32:(i + 1) * 32])
exact = [sum(x * y for x, y in zip(line(a, r), line(b, c))) for r in range(16) for c in range(64)]
assert all(Fraction(float(value)) == value for value in exact)
save("d", "f64", [float(value) for value in exact])
