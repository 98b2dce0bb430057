# A of 64 rows and B of 40 columns of 768 bits each.
lines = lambda seed, count: [sum(w << 32 * i for i, w in enumerate(random("u32", 24 * count, seed)[24 * line:][:24])) for line in range(count)]
a, b = lines(391, 64), lines(392, 40)
save("differing", "s32", [bin(x ^ y).count("1") for x in a for y in b])
save("common", "s32", [bin(x & y).count("1") for x in a for y in b])
