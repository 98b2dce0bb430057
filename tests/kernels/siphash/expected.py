def siphash(data, key):
    words = struct.unpack("<2Q", key)
    v = [words[i % 2] ^ c for i, c in enumerate((0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573))]

    def rounds(count):
        for _ in range(count):
            for i, j, r in ((0, 1, 13), (2, 3, 16), (2, 1, 17), (0, 3, 21)):
                v[i] = (v[i] + v[j]) & U64
                v[j] = rotate_left(v[j], r, 64) ^ v[i]
                if r in (13, 17):
                    k = 0 if r == 13 else 2
                    v[k] = rotate_left(v[k], 32, 64)

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


out = [siphash(bytes(range(n)), bytes(range(16))) for n in range(64)]
assert out[0] == 0x726FDB47DD0E0E31 and out[15] == 0xA129CA6149BE45E5  # the vectors of its authors
save("out", "u64", out)
