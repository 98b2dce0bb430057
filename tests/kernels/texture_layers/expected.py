atlas = random("u8", 160, 3, 0, 16)
palettes = random("u16", 192, 4)
out = []
for layer, palette in ((0, 0), (4, 2), (3, 1), (1, 1), (2, 0), (4, 2)):
    for texel in atlas[32 * layer:32 * layer + 32]:
        start = (palette * 16 + texel) * 4
        out += palettes[start:start + 4]
save("out", "u32", out)
