def determinant(m):
    if not m:
        return 1
    return sum((-1) ** i * v * determinant([row[:i] + row[i + 1:] for row in m[1:]]) for i, v in enumerate(m[0]) if v)


data = random("u32", 720, 22, 0, 4)
matrices = [[data[36 * i + 6 * r:36 * i + 6 * r + 6] for r in range(6)] for i in range(20)]
save("out", "u32", [determinant(m) % 10007 for m in matrices])
