cells = random("u8", 315, 2, 0, 2)


def generation(cells):
    alive = {(index % 21, index // 21) for index, cell in enumerate(cells) if cell}
    count = lambda x, y: sum((x + i, y + j) in alive for i in (-1, 0, 1) for j in (-1, 0, 1)) - ((x, y) in alive)
    return [int(count(x, y) in ((2, 3) if (x, y) in alive else (3,))) for y in range(15) for x in range(21)]


second = generation(generation(cells))
save("second_generation", "u8", second)
save("third_generation", "u8", generation(second))
