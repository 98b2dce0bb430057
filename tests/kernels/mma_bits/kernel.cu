// One-bit matrices: products by exclusive or and population counts.
extern "C" __global__ void mma(const unsigned *a, const unsigned *b, int *d) {
    int group = threadIdx.x / 4, member = threadIdx.x % 4, r0, r1;
    asm("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1}, {%2}, {%3}, {%4,%4};"
        : "=r"(r0), "=r"(r1)
        : "r"(a[group * 4 + member]), "r"(b[group * 4 + member]), "r"(-1));
    d[group * 8 + member * 2] = r0;
    d[group * 8 + member * 2 + 1] = r1;
}
