# A of 128 rows, of each four neighbours two that are not zero, B of 32 columns; small whole numbers.
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def product(name, kind, code, depth, seed, pack):
    a, b = ([w % 7 - 3 for w in random("u32", lines * k, seed + i)] for i, lines, k in ((0, 128, depth // 2), (1, 32, depth)))
    kept = [PAIRS[w % 6] for w in random("u32", 128 * depth // 4, seed + 2)]
    dense = []
    for group, (low, high) in enumerate(kept):
        four = [0] * 4
        four[low], four[high] = a[2 * group], a[2 * group + 1]
        dense += four
    save(name + "_a", kind, map(code, a))
    save(name + "_b", kind, map(code, b))
    row = lambda m, i: m[i * depth:(i + 1) * depth]
    result = [sum(x * y for x, y in zip(row(dense, r), row(b, c))) for r in range(128) for c in range(32)]
    save(name + "_d", "f32", result)
    save(name + "_d_64", "f32", result[:64 * 32])
    # Four bits for each four neighbours, the bits of a row as one number.
    bits = [sum((low | high << 2) << 4 * i for i, (low, high) in enumerate(kept[r * depth // 4:(r + 1) * depth // 4])) for r in range(128)]
    save(name + "_metadata", "u32", pack(bits))
    # 64 rows: 16 in the lower half of each 32 lanes, and what is in the others is not looked at.
    save(name + "_metadata_64", "u32", pack([bits[lane // 32 * 16 + lane % 16] ^ (lane % 32 // 16 * -1 & bits[0]) for lane in range(128)]))


def halves(bits):
    """For each round and lane the words of four steps of 32 elements: lane l of 16 has that half of the 32 bits, l / 8, of rows l % 8 and l % 8 + 8."""
    part = lambda row, step, half: bits[row] >> 32 * step + 16 * half & 0xFFFF
    return [part(lane // 16 * 16 + lane % 8, 4 * round + step, lane // 8 % 2) | part(lane // 16 * 16 + lane % 8 + 8, 4 * round + step, lane // 8 % 2) << 16
            for round in range(2) for lane in range(128) for step in range(4)]


def doubles(bits):
    """For each round and row the two words of four steps of 64 elements."""
    return [bits[row] >> 32 * word & U32 for round in range(2) for row in range(128) for word in range(8 * round, 8 * round + 8)]


product("f16", "f16", float, 256, 421, halves)
E4M3 = {0: 0, 1: 0x38, 2: 0x40, 3: 0x44}
product("fp8", "u8", lambda v: E4M3[abs(v)] | (0x80 if v < 0 else 0), 512, 424, doubles)
