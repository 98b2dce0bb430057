# A of 256 rows and B of 96 columns, 640 bytes each: with sign, and without.
a, b = random("s8", 256 * 640, 371), random("u8", 96 * 640, 372)
line = lambda m, i: m[i * 640:(i + 1) * 640]
save("d", "s32", [sum(x * y for x, y in zip(line(a, r), line(b, c))) for r in range(256) for c in range(96)])
