def machine(code, thread):
    s, top, pc, steps = [0] * 16, 0, 0, 0
    s[0] = thread
    known = {0}
    while pc < 24 and steps < 200:
        steps += 1
        op = code[pc]
        pc += 1
        a, b = top & 15, (top - 1) & 15
        k = op & 15
        if k in (0, 1, 2, 10):
            s[b] = s32([s[b] + s[a], s[b] - s[a], s[b] * s[a], 0, 0, 0, 0, 0, 0, 0, s[b] ^ s[a]][k])
            top -= 1
        elif k == 3:
            top += 1
            s[top & 15] = op >> 4
        elif k == 4:
            s[(top + 1) & 15] = s[a]
            top += 1
        elif k == 5:
            s[a], s[b] = s[b], s[a]
        elif k == 6:
            s[a] = s32(-s[a])
        elif k == 7:
            s[a] = ~s[a]
        elif k == 8:
            pc += (op >> 4) if s[a] & 1 else 0
        elif k == 9:
            s[a] >>= 1
        elif k == 11:
            s[a] = s32(s[a] + op)
        elif k == 12:
            pc -= 3 if s[a] > 0 and pc > 3 else 0
            s[a] = s32(s[a] - 1)
        elif k == 13:
            s[b] = int(s[a] < s[b])
        elif k == 14:
            s[a] = bin(s[a] & U32).count("1")
        elif k == 15:
            top += 1
            s[top & 15] = top
        top &= 15
    return s[top & 15]


data = random("u8", 1536, 88)
save("out", "s32", [machine(data[24 * t:24 * t + 24], t) for t in range(64)])
