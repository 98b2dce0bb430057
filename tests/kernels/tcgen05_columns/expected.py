# Small whole numbers: all is exact. The masks are those of the manual's examples: of each part of the columns which run comes first, and how much of it is left out.
a, b = ([word % 9 - 4 for word in random("u32", count * 16, seed)] for count, seed in ((128, 441), (72, 442)))
save("a", "f16", a)
save("b", "f16", b)
PARTS = {128: [("used", 0)], 64: [("zeros", 0), ("used", 0)], 32: [("zeros", 0), ("zeros", 1), ("used", 2), ("used", 1)]}
RUNS = {"zeros": [1] * 3 + [0] * 4, "used": [0] * 4 + [1] * 3}
for rows, parts in PARTS.items():
    width = 64 // len(parts)
    out, apart = [], []
    for part, (first, skipped) in enumerate(parts):
        zero = (RUNS[first] * 10)[skipped:skipped + width]
        for row in range(rows):
            for column in range(width):
                here = 16 * (part * width + column + 2)
                for sums, lane in (out, row), (apart, part * rows + row):
                    sums.append(0 if zero[column] else sum(a[16 * lane + k] * b[here + k] for k in range(16)))
    save(f"d{rows}", "f32", out)
    if rows < 128:
        save(f"t{rows}", "f32", apart)
