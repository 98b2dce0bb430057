v, out = random("s32", 32, 80), []
for lane in range(32):
    up = lambda d, w: v[lane - d] if lane % w >= d else v[lane]
    down = lambda d, w: v[lane + d] if lane % w + d < w else v[lane]
    xor = lane ^ 9  # lanes of a later group of 8 are out of reach, those of an earlier one are not
    out += [v[5], v[lane // 8 * 8 + (lane * 3 + 1) % 8], up(3, 32), up(2, 16), down(7, 32), down(1, 4), v[lane ^ 21],
            v[xor] if xor // 8 <= lane // 8 else v[lane]]
save("out", "s32", out)
