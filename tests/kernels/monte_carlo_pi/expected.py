count = 0
for t in range(128):
    state = (t * 2654435761 + 12345) & U32
    for _ in range(40):
        x = (state * 1664525 + 1013904223) & U32
        state = (x * 1664525 + 1013904223) & U32
        count += (x >> 16) ** 2 + (state >> 16) ** 2 < 1 << 32
save("inside", "u32", [count])
