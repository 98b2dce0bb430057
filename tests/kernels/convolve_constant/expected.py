data, taps = random("s32", 300, 26, -100, 100), [1, -2, 3, -4, 5, -4, 3, -2, 1]
padded = [0] * 4 + data + [0] * 4
save("out", "s32", [sum(t * v for t, v in zip(taps, padded[i:i + 9])) for i in range(300)])
