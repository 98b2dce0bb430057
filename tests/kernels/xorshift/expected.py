narrow, wide = [], []
for thread in range(45):
    v, s = [123456789 + thread, 362436069, 521288629, 88675123], 0x9E3779B97F4A7C15 * (thread + 1) & U64
    for _ in range(50):
        t = v[0] ^ v[0] << 11 & U32
        v = v[1:] + [v[3] ^ v[3] >> 19 ^ t ^ t >> 8]
        s ^= s >> 12
        s ^= s << 25 & U64
        s ^= s >> 27
    narrow.append(v[3])
    wide.append(s * 0x2545F4914F6CDD1D & U64)
save("narrow", "u32", narrow)
save("wide", "u64", wide)
