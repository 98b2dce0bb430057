# A of 256 rows and B of 96 columns, three times 128 bytes each. Values have so few bits that sums are exact.
def product(name, a, b):
    depth = len(a) // 256
    line = lambda m, i: m[i * depth:(i + 1) * depth]
    exact = [sum(x * y for x, y in zip(line(a, r), line(b, c))) for r in range(256) for c in range(96)]
    assert all(f32(value) == value for value in exact)
    save(name, "f32", exact)


# bfloat16 from 1 to 2, whole tf32, the four least of e4m3.
codes = lambda kind, depth, seeds, *bounds: [random(kind, lines * depth, seed, *bounds) for lines, seed in zip((256, 96), seeds)]
product("bf16_d", *([from_bits32(code << 16) for code in m] for m in codes("u16", 192, (361, 362), 0x3F80, 0x4000)))
tf32 = [[w % 701 - 350 for w in m] for m in codes("u32", 96, (363, 364))]
save("tf32_a", "f32", tf32[0])
save("tf32_b", "f32", tf32[1])
product("tf32_d", *tf32)
product("fp8_d", *([code * 2.0**-9 for code in m] for m in codes("u8", 384, (365, 366), 0, 4)))
