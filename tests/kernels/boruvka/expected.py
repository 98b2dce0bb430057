# Kruskal's algorithm.
edges = sorted(zip(random("u32", 150, 166, 1, 1000), random("s32", 150, 164, 0, 50), random("s32", 150, 165, 0, 50)))
part, total = list(range(50)), 0
for w, a, b in edges:
    if part[a] != part[b]:
        total += w
        part = [part[a] if p == part[b] else p for p in part]
save("total", "u32", [total])
