// One warp multiplies 16x16 by 16x8 in half precision, accumulating in single, by mma.sync.
#include <cuda_fp16.h>
extern "C" __global__ void mma(const __half *a, const __half *b, const float *c, float *d) {
    int group = threadIdx.x / 4, member = threadIdx.x % 4;
    auto pair = [](const __half *p) { return *(const unsigned *)p; };
    auto join = [](__half low, __half high) { return (unsigned)__half_as_ushort(low) | (unsigned)__half_as_ushort(high) << 16; };
    unsigned a0 = pair(a + group * 16 + member * 2), a1 = pair(a + (group + 8) * 16 + member * 2);
    unsigned a2 = pair(a + group * 16 + member * 2 + 8), a3 = pair(a + (group + 8) * 16 + member * 2 + 8);
    unsigned b0 = join(b[member * 2 * 8 + group], b[(member * 2 + 1) * 8 + group]);
    unsigned b1 = join(b[(member * 2 + 8) * 8 + group], b[(member * 2 + 9) * 8 + group]);
    const float *c0 = c + group * 8 + member * 2, *c1 = c0 + 64;
    float r0, r1, r2, r3;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
        : "=f"(r0), "=f"(r1), "=f"(r2), "=f"(r3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c0[0]), "f"(c0[1]), "f"(c1[0]), "f"(c1[1]));
    float *d0 = d + group * 8 + member * 2, *d1 = d0 + 64;
    d0[0] = r0;
    d0[1] = r1;
    d1[0] = r2;
    d1[1] = r3;
}
