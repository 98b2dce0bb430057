a, b = random("u32", 32, 152), random("u32", 32, 153)
save("d", "s32", [sum(bin(a[4 * r + k] ^ b[4 * c + k]).count("1") for k in range(4)) - 1 for r in range(8) for c in range(8)])
