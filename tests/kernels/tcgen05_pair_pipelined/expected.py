# A of 256 rows and B of 128 columns of 192 numbers of bfloat16 from 1 to 2: sums are exact.
a, b = ([from_bits32(code << 16) for code in random("u16", lines * 192, seed, 0x3F80, 0x4000)] for lines, seed in ((256, 431), (128, 432)))
line = lambda m, i: m[192 * i:192 * i + 192]
exact = [sum(x * y for x, y in zip(line(a, r), line(b, c))) for r in range(256) for c in range(128)]
assert all(f32(value) == value for value in exact)
save("d", "f32", exact)
