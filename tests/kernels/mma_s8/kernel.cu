// One warp multiplies 16x32 by 32x8 bytes with sign, by mma.sync.
extern "C" __global__ void mma(const signed char *a, const signed char *b, int *d) {
    int group = threadIdx.x / 4, member = threadIdx.x % 4;
    auto four = [&](const signed char *p, int stride) {
        unsigned word = 0;
        for (int i = 0; i < 4; i++) word |= (unsigned)(unsigned char)p[i * stride] << 8 * i;
        return word;
    };
    unsigned a0 = four(a + group * 32 + member * 4, 1), a1 = four(a + (group + 8) * 32 + member * 4, 1);
    unsigned a2 = four(a + group * 32 + member * 4 + 16, 1), a3 = four(a + (group + 8) * 32 + member * 4 + 16, 1);
    unsigned b0 = four(b + member * 4 * 8 + group, 8), b1 = four(b + (member * 4 + 16) * 8 + group, 8);
    int r0, r1, r2, r3;
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(1000));
    int *d0 = d + group * 8 + member * 2;
    d0[0] = r0;
    d0[1] = r1;
    d0[64] = r2;
    d0[65] = r3;
}
