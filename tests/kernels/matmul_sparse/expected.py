# A of 32 rows and B of 64 columns, 192 bfloat16 each; of every four elements of A two are kept, at random places. All are whole and small, so that sums are exact.
PAIRS = [(i, j) for i in range(4) for j in range(i + 1, 4)]
kept, places, whole = [], [], [0] * (32 * 192)
for chunk, w in enumerate(random("u32", 32 * 48, 331)):
    pair = PAIRS[w % 6]
    values = [w // 6 % 41 - 20, w // 300 % 41 - 20]
    kept += values
    places.append(pair[0] | pair[1] << 2)
    for place, value in zip(pair, values):
        whole[chunk * 4 + place] = value
b = [w % 41 - 20 for w in random("u32", 64 * 192, 332)]
for name, matrix in (("a", kept), ("b", b)):
    save(name, "u16", [bits32(float(value)) >> 16 for value in matrix])
save("where", "u16", [sum(places[at + i] << i * 4 for i in range(4)) for at in range(0, len(places), 4)])
line = lambda m, i: m[i * 192:(i + 1) * 192]
save("d", "f32", [sum(x * y for x, y in zip(line(whole, r), line(b, c))) for r in range(32) for c in range(64)])
