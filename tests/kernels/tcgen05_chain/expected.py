# Small whole numbers: all is exact.
whole = lambda lines, seed, most: [w % (2 * most + 1) - most for w in random("u32", lines * 64, seed)]
q, k, v = whole(128, 401, 3), whole(96, 402, 3), whole(96, 403, 5)
for name, matrix in (("q", q), ("k", k), ("v", v)):
    save(name, "f16", matrix)
line = lambda m, i: m[64 * i:64 * i + 64]
scores = [[max(sum(x * y for x, y in zip(line(q, r), line(k, c))), 0) for c in range(96)] for r in range(128)]
assert all(score <= 2048 for row in scores for score in row)
save("d", "f32", [sum(row[c] * v[64 * c + n] for c in range(96)) for row in scores for n in range(64)])
