// mma.sync of bfloat16 small whole numbers, fragments loaded as packed words.
extern "C" __global__ void mma(const unsigned short *a, const unsigned short *b, float *d) {
    int group = threadIdx.x / 4, member = threadIdx.x % 4;
    auto pair = [](const unsigned short *p, int stride) { return (unsigned)p[0] | (unsigned)p[stride] << 16; };
    unsigned a0 = pair(a + group * 8 + member * 2, 1), a1 = pair(a + (group + 8) * 8 + member * 2, 1);
    unsigned b0 = pair(b + member * 2 * 8 + group, 8);
    float r0, r1, r2, r3;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%7,%7};"
        : "=f"(r0), "=f"(r1), "=f"(r2), "=f"(r3)
        : "r"(a0), "r"(a1), "r"(b0), "f"(0.5f));
    float *d0 = d + group * 8 + member * 2;
    d0[0] = r0;
    d0[1] = r1;
    d0[64] = r2;
    d0[65] = r3;
}
