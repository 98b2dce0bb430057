# For each shape, the row and column of register j of a lane, as PTX's figures show them; then what each thread finds.
SHAPES = [
    (2, lambda lane, j: (lane // 4 + 8 * (lane % 2), lane // 2 % 2 + 2 * j)),
    (2, lambda lane, j: (lane // 4 + 8 * j, lane % 4)),
    (4, lambda lane, j: (lane // 4 + 8 * (j // 2), lane % 4 * 2 + j % 2)),
    (4, lambda lane, j: (lane % 16, j + lane // 16 * 4)),
    (4, lambda lane, j: (lane, j)),
    (2, None),
]
out = []
for count, place in SHAPES:
    rows = {}
    for thread in range(128):
        warp, lane = thread // 32, thread % 32
        for j in range(count):
            value = (4 * thread + j + 1) << 16 | j
            if place is None:
                rows[thread, 2 * j], rows[thread, 2 * j + 1] = value & 0xFFFF, value >> 16
            else:
                row, column = place(lane, j)
                rows[32 * warp + row, column] = value
    for thread in range(128):
        out += [rows.get((thread, column), 0) for column in range(8)]
        out += [(4 * thread + j + 1) << 16 | j if j < count else 0 for j in range(8)]
save("out", "u32", out)
