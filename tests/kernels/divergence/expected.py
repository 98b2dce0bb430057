def thread(v):
    total = 0

    def loops():
        nonlocal total
        for i in range(v % 13):
            if (i ^ v) % 5 == 3:
                continue
            j = i
            while True:
                total = (total * 31 + j) & U32
                if j > v % 17:
                    break
                if total % 11 == 0:
                    return
                j += 2

    loops()
    return total ^ 0xFFFF if v & 1 else total * 3 & U32 if v & 2 else total


save("out", "u32", [thread(v) for v in random("u32", 128, 86)])
