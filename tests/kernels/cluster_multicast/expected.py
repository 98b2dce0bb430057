matrix, vector = random("u32", 32768, 1), random("u32", 128, 2)
save("out", "u32", [sum(matrix[128 * row + i] * vector[i] for i in range(128)) & U32 for row in range(256)])
