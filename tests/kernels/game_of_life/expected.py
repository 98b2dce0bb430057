a = random("u8", 345, 25, 0, 2)
for _ in range(2):
    count = lambda x, y: sum(a[(y + v) % 15 * 23 + (x + h) % 23] for v in (-1, 0, 1) for h in (-1, 0, 1)) - a[y * 23 + x]
    a = [int(count(x, y) == 3 or (count(x, y) == 2 and a[y * 23 + x])) for y in range(15) for x in range(23)]
save("a", "u8", a)
