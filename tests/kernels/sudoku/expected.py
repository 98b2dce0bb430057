from itertools import permutations
rows, grids = list(permutations((1, 2, 3, 4))), []
for a in rows:
    for b in rows:
        if set(a[:2]) & set(b[:2]) or set(a[2:]) & set(b[2:]):
            continue
        for c in rows:
            if any(z in (x, y) for x, y, z in zip(a, b, c)):
                continue
            d = tuple(10 - x - y - z for x, y, z in zip(a, b, c))
            if sorted(d) == [1, 2, 3, 4] and not set(c[:2]) & set(d[:2]) and all(w not in (x, y, z) for x, y, z, w in zip(a, b, c, d)):
                grids.append(a + b + c + d)
assert len(grids) == 288
puzzles = [1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 0] + [0] * 16 + [0, 2, 0, 4, 3, 0, 0, 0, 0, 0, 0, 1, 2, 0, 3, 0]
solutions, first = [], []
for p in range(3):
    puzzle = puzzles[16 * p:16 * p + 16]
    for guess in range(1, 5):
        own = list(puzzle)
        own[own.index(0)] = guess
        found = sorted(g for g in grids if all(v in (0, w) for v, w in zip(own, g)))
        solutions.append(len(found))
        first += found[0] if found else [0] * 16
save("solutions", "u32", solutions)
save("first", "u8", first)
