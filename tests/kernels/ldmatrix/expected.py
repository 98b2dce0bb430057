def at(matrix, row, column):
    return 1000 + matrix * 64 + row * 8 + column


straight, transposed = [], []
for lane in range(32):
    row, column = lane // 4, lane % 4 * 2
    for matrix in range(4):
        straight.append(at(matrix, row, column) | at(matrix, row, column + 1) << 16)
        transposed.append(at(matrix, column, row) | at(matrix, column + 1, row) << 16)
save("straight", "u32", straight)
save("transposed", "u32", transposed)
