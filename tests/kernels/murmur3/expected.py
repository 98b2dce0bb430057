def murmur3(data, seed):
    """Public vectors: murmur3(b"", 0) = 0, murmur3(b"", 1) = 0x514E28B7, murmur3(b"test", 0x9747b28c) = 0x704b81dc."""
    h = seed
    for i in range(0, len(data), 4):
        chunk = data[i:i + 4]
        k = rotate_left(int.from_bytes(chunk, "little") * 0xCC9E2D51 & U32, 15) * 0x1B873593 & U32
        h ^= k
        if len(chunk) == 4:
            h = (rotate_left(h, 13) * 5 + 0xE6546B64) & U32
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & U32
    h = (h ^ h >> 13) * 0xC2B2AE35 & U32
    return h ^ h >> 16


assert [murmur3(b"", 0), murmur3(b"", 1), murmur3(b"test", 0x9747B28C)] == [0, 0x514E28B7, 0x704B81DC]
text = bytes(random("u8", 64, 43))
save("out", "u32", [murmur3(text[:n], 0x9747B28C) for n in range(64)])
