values = [0, 1, -1, 9, 10, -10, 12345678901, -2 ** 63, 2 ** 63 - 1, 10 ** 18 - 1, -10 ** 18, 42]
save("texts", "u8", b"".join(str(v).encode().ljust(21, b"\0") for v in values))
