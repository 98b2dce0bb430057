P = [0, 2654435761, 2246822519, 3266489917, 668265263, 374761393]


def xxhash32(data, seed):
    """Public vectors: the empty key with seed 0 gives 0x02CC5D05, b"abc" 0x32D153FF."""
    length, h = len(data), (seed + P[5]) & U32
    if length >= 16:
        v = [(seed + P[1] + P[2]) & U32, (seed + P[2]) & U32, seed, (seed - P[1]) & U32]
        while len(data) >= 16:
            v = [rotate_left((a + w * P[2]) & U32, 13) * P[1] & U32 for a, w in zip(v, struct.unpack("<4I", data[:16]))]
            data = data[16:]
        h = sum(rotate_left(a, n) for a, n in zip(v, (1, 7, 12, 18))) & U32
    h = (h + length) & U32
    while len(data) >= 4:
        h = rotate_left((h + int.from_bytes(data[:4], "little") * P[3]) & U32, 17) * P[4] & U32
        data = data[4:]
    for byte in data:
        h = rotate_left((h + byte * P[5]) & U32, 11) * P[1] & U32
    h = (h ^ h >> 15) * P[2] & U32
    h = (h ^ h >> 13) * P[3] & U32
    return h ^ h >> 16


assert xxhash32(b"", 0) == 0x02CC5D05 and xxhash32(b"abc", 0) == 0x32D153FF
text = bytes(random("u8", 96, 45))
save("out", "u32", [xxhash32(text[:n], 7) for n in range(96)])
