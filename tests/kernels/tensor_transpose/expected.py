matrix = random("u32", 4096, 5)
save("out", "u32", [matrix[column * 64 + row] for row in range(64) for column in range(64)])
