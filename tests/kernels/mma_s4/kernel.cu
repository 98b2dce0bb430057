// Four-bit whole numbers, with and without sign.
extern "C" __global__ void mma(const unsigned *a, const unsigned *b, int *d) {
    int group = threadIdx.x / 4, member = threadIdx.x % 4, r[4];
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%7,%7};"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(a[group * 4 + member]), "r"(a[(group + 8) * 4 + member]), "r"(b[group * 4 + member]), "r"(7));
    int *d0 = d + group * 8 + member * 2;
    d0[0] = r[0];
    d0[1] = r[1];
    d0[64] = r[2];
    d0[65] = r[3];
}
