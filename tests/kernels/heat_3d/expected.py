data = random("s32", 378, 29, -1000, 1000)
at = lambda x, y, z: data[(z * 9 + y) * 7 + x] if 0 <= x < 7 and 0 <= y < 9 and 0 <= z < 6 else 0
near = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
save("out", "s32", [sum(at(x + a, y + b, z + c) for a, b, c in near) - 6 * at(x, y, z) for z in range(6) for y in range(9) for x in range(7)])
