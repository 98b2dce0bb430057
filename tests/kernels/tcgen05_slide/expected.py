# Small whole numbers: all is exact.
x, w = ([word % 9 - 4 for word in random("u32", count * 16, seed)] for count, seed in ((130, 431), (3 * 16, 432)))
save("x", "f16", x)
save("w", "f16", w)
save("d", "f32", [sum(x[16 * (row + element) + c] * w[16 * (16 * element + column) + c] for element in range(3) for c in range(16))
                  for row in range(128) for column in range(16)])
