from itertools import groupby
runs = [(value, len(list(group))) for value, group in groupby(random("u8", 250, 69, 0, 3))]
rest = 250 - len(runs)
save("values", "u8", [v for v, _ in runs] + [0] * rest)
save("lengths", "s32", [n for _, n in runs] + [0] * rest)
save("runs", "s32", [len(runs)])
