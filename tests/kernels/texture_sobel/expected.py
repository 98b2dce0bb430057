image = random("u8", 660, 27)
at = lambda x, y: image[min(max(y, 0), 21) * 30 + min(max(x, 0), 29)]
out = []
for y in range(22):
    for x in range(30):
        h = sum(w * (at(x + 1, y + d) - at(x - 1, y + d)) for d, w in ((-1, 1), (0, 2), (1, 1)))
        v = sum(w * (at(x + d, y + 1) - at(x + d, y - 1)) for d, w in ((-1, 1), (0, 2), (1, 1)))
        out.append(min((abs(h) + abs(v)) // 2, 255))
save("out", "u8", out)
