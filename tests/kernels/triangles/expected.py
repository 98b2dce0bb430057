noise = random("u32", 64 * 64, 55, 0, 4)
edge = lambda i, j: i != j and noise[max(i, j) * 64 + min(i, j)] == 0
save("rows", "u64", [sum(1 << j for j in range(64) if edge(i, j)) for i in range(64)])
save("total", "u32", [sum(edge(i, j) and edge(j, k) and edge(i, k) for i in range(64) for j in range(i) for k in range(j))])
