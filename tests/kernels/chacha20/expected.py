def block(s):
    v = list(s)
    for n in range(80):
        i = n % 8
        a, b, c, d = ([i, i + 4, i + 8, i + 12] if i < 4 else [i - 4, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4])
        for x, y, z, r in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            v[x] = (v[x] + v[y]) & U32
            v[z] = rotate_left(v[z] ^ v[x], r)
    return [(x + y) & U32 for x, y in zip(v, s)]


# The state of RFC 8439, section 2.3.2.
state = list(struct.unpack("<4I", b"expand 32-byte k")) + list(struct.unpack("<8I", bytes(range(32)))) + [1, 0x09000000, 0x4A000000, 0]
assert block(state)[:4] == [0xE4E7F110, 0x15593BD1, 0x1FDD0F50, 0xC47120A3]
save("state", "u32", state)
save("out", "u32", [w for t in range(20) for w in block(state[:12] + [1 + t] + state[13:])])
