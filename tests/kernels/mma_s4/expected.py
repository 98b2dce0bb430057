nibbles = lambda words, kind: [as_type(kind, w >> 4 * i & 15) if kind == "u8" else ((w >> 4 * i & 15) ^ 8) - 8 for w in words for i in range(8)]
a, b = nibbles(random("u32", 64, 154), "s"), nibbles(random("u32", 32, 155), "u8")
save("d", "s32", [7 + sum(a[32 * r + k] * b[32 * c + k] for k in range(32)) for r in range(16) for c in range(8)])
