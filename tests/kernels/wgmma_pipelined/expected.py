# A of 64 rows and B of 64 columns, three times 128 bytes each. Values have so few bits that sums are exact.
def product(name, kind, a, b):
    depth = len(a) // 64
    line = lambda m, i: m[i * depth:(i + 1) * depth]
    exact = [sum(x * y for x, y in zip(line(a, r), line(b, c))) for r in range(64) for c in range(64)]
    assert kind == "s32" or all(f32(value) == value for value in exact)
    save(name, kind, exact)


# bfloat16 from 1 to 2, the four least of e4m3 (of whose sums the machine keeps 13 bits after the first), whole tf32.
codes = lambda kind, count, seeds, *bounds: [random(kind, 64 * count, seed, *bounds) for seed in seeds]
product("bf16_d", "f32", *([from_bits32(code << 16) for code in m] for m in codes("u16", 192, (341, 342), 0x3F80, 0x4000)))
tf32 = [[w % 701 - 350 for w in m] for m in codes("u32", 96, (343, 344))]
save("tf32_a", "f32", tf32[0])
save("tf32_b", "f32", tf32[1])
product("tf32_d", "f32", *tf32)
product("fp8_d", "f32", *([code * 2.0**-9 for code in m] for m in codes("u8", 384, (345, 346), 0, 4)))
product("s8_d", "s32", *codes("s8", 384, (347, 348)))
