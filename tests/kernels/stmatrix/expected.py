save("out", "u16", list(range(256)) + [m * 64 + c * 8 + r for m in range(4) for r in range(8) for c in range(8)])
