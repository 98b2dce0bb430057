a, b, c, e = random("u8", 160, 133), random("s16", 80, 134), random("s32", 80, 135), random("s64", 80, 136)
d, out, more = [-10 + i / 2 for i in range(80)], [], []
for t in range(40):
    for i in range(2):
        out.append(d[2 * t + i] + c[2 * t + i] + b[2 * t + i] + a[4 * t + 3 * i])
    more += [e[2 * t] & U32, e[2 * t + 1] >> 32 & U32, a[4 * t + 1] | a[4 * t + 2] << 8, e[2 * t + 1] & U32]
save("out", "f64", out)
save("more", "u32", more)
