numbers = [w >> (i * 7 % 32) for i, w in enumerate(random("u32", 128, 70))]
save("in", "u32", numbers)
out = bytearray()
for before, value in zip([0] + numbers, numbers):
    difference = s32(value - before)
    code = 2 * difference if difference >= 0 else -2 * difference - 1
    while code >= 128:
        out.append(code & 127 | 128)
        code >>= 7
    out.append(code)
save("size", "s32", [len(out)])
save("out", "u8", bytes(out).ljust(640, b"\0"))
