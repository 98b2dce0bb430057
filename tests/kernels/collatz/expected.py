def way(n):
    found = [n]
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        found.append(n)
    return found


save("steps", "u32", [len(way(n)) - 1 for n in range(1, 129)])
save("peaks", "u64", [max(way(n)) for n in range(1, 129)])
