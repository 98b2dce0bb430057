ITEM = "<bxhid5s3x"
settings = (3, -7, 1000, 0.25, b"abcde")
big = 0x123456789ABCDEF0
# The scale has 12 bytes; then 4 bytes of padding before the number of 64 bits.
save("settings", "u8", struct.pack(ITEM, *settings) + struct.pack("<fff4xq", 0.5, 2.0, 1.25, big))
items = [(i - 5, 100 * i, -i, i / 8, bytes(range(i, i + 5))) for i in range(10)]
save("items", "u8", b"".join(struct.pack(ITEM, *item) for item in items))
out = b""
for t, (kind, small, number, weight, name) in enumerate(items):
    out += struct.pack(ITEM, kind ^ 3, as_type("s16", big >> 3 * t), number + 1000 * t, weight * 2 + 0.25,
                       bytes((n + m) & 255 for n, m in zip(name, b"edcba")))
save("out", "u8", out)
