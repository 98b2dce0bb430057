from functools import reduce
n = range(100)
inc = dec = 0
for _ in n:
    inc = 0 if inc >= 10 else inc + 1
    dec = 10 if dec == 0 or dec > 10 else dec - 1
xor = lambda values: reduce(lambda x, y: x ^ y, values)
save("a", "u32", [5 + sum(n), (5 - sum(n)) & U32, min(i * 7919 % 1000 for i in n), max(i * 7919 % 1000 for i in n), inc, dec,
                  0x80000000, 0x7F, xor(i * 0x9E3779B9 & U32 for i in n), 300])
save("b", "u64", [sum(n) << 33, 0x100000000 - 99, 99 << 40, 0, (1 << 61) - 1, xor(0x123456789ABCDEF * i & U64 for i in n)])
