// mma.sync of tf32: values with few bits, so that the products and sums are exact.
extern "C" __global__ void mma(const float *a, const float *b, float *d) {
    int group = threadIdx.x / 4, member = threadIdx.x % 4;
    auto tf32 = [](float value) {
        unsigned bits;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
        return bits;
    };
    float r0, r1, r2, r3;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=f"(r0), "=f"(r1), "=f"(r2), "=f"(r3)
        : "r"(tf32(a[group * 8 + member])), "r"(tf32(a[(group + 8) * 8 + member])), "r"(tf32(a[group * 8 + member + 4])),
          "r"(tf32(a[(group + 8) * 8 + member + 4])), "r"(tf32(b[member * 8 + group])), "r"(tf32(b[(member + 4) * 8 + group])), "f"(0.0f));
    float *d0 = d + group * 8 + member * 2;
    d0[0] = r0;
    d0[1] = r1;
    d0[64] = r2;
    d0[65] = r3;
}
