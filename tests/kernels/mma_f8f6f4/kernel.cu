// e2m1 elements are spread over bytes by ldmatrix, moved to the middle of each, and multiplied by e2m3 elements.
#include <cstdint>
extern "C" __global__ void multiply(const uint4 *a, const uint4 *b, float *d) {
    __shared__ __align__(16) uint4 left[32], right[16];
    int lane = threadIdx.x, group = lane / 4, member = lane % 4;
    left[lane] = a[lane];
    right[lane % 16] = b[lane % 16];
    __syncwarp();
    unsigned x[4], y[2];
    // Of A: rows 0-7 and 8-15 of the first 16 columns, then of the others. Of B: 16 rows, then the others, of 8 columns.
    unsigned from = (unsigned)__cvta_generic_to_shared(&left[lane]), other = (unsigned)__cvta_generic_to_shared(&right[lane % 16]);
    asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32 {%0,%1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(other) : "memory");
    float r[4] = {};
    asm("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])
        : "r"(x[0] << 2), "r"(x[1] << 2), "r"(x[2] << 2), "r"(x[3] << 2), "r"(y[0]), "r"(y[1]));
    float *out = d + group * 8 + member * 2;
    out[0] = r[0];
    out[1] = r[1];
    out[64] = r[2];
    out[65] = r[3];
}
