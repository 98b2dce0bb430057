text, pattern = random("u8", 1000, 46, 0, 2), [1, 0, 1, 0, 1]
save("matches", "u32", [sum(1 << b for b in range(32) if text[32 * w + b:32 * w + b + 5] == pattern) for w in range(32)])
