noise, coded, starts, out, at = random("u32", 4000, 158), bytearray(), [], b"", 0
for t in range(20):
    starts.append(len(coded))
    text = bytearray()
    while len(text) < 100:
        a, b, c = noise[at:at + 3]
        at += 3
        if len(text) < 3 or a % 3 == 0:
            count = min(b % 9 + 1, 100 - len(text))
            own = bytes((c >> i & 7) + 65 for i in range(count))
            coded += bytes([count - 1]) + own
            text += own
        elif 100 - len(text) >= 3:
            back, count = b % min(len(text), 256) + 1, min(c % 20 + 3, 100 - len(text))
            coded += bytes([count + 125, back - 1])
            for _ in range(count):
                text.append(text[-back])
        else:
            rest = 100 - len(text)
            coded += bytes([rest - 1]) + b"." * rest
            text += b"." * rest
    out += text
save("in", "u8", coded)
save("starts", "s32", starts)
save("out", "u8", out)
