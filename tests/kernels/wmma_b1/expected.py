a, b = random("u32", 64, 61), random("u32", 64, 62)
pairs = [(r, c) for r in range(8) for c in range(8)]
save("different", "s32", [sum(bin(a[r * 8 + w] ^ b[c * 8 + w]).count("1") for w in range(8)) for r, c in pairs])
save("common", "s32", [sum(bin(a[r * 8 + w] & b[c * 8 + w]).count("1") for w in range(8)) for r, c in pairs])
