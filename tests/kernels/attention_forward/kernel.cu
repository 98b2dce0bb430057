// Attention, forward: a warp has 16 queries and goes over the keys in blocks of 16 with a running maximum and sum; a query sees the keys up to its own.
#include <cuda_fp16.h>
constexpr int SIZE = 32;

__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned pair(float low, float high) {
    __half2 both = __floats2half2_rn(low, high);
    return *(unsigned *)&both;
}

__device__ float exponential(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, float *out, float *logs, float scale, int length) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, member = lane % 4;
    int first = (blockIdx.x * (blockDim.x / 32) + warp) * 16;
    const unsigned *queries = (const unsigned *)q, *keys = (const unsigned *)k;
    const unsigned short *values = (const unsigned short *)v;
    unsigned a[SIZE / 16][4];
    for (int part = 0; part < SIZE / 16; part++)
        for (int i = 0; i < 4; i++) a[part][i] = queries[((first + group + (i & 1) * 8) * SIZE + part * 16 + (i >> 1) * 8) / 2 + member];
    float sum[SIZE / 8][4] = {}, most[2] = {-INFINITY, -INFINITY}, total[2] = {};
    for (int start = 0; start <= first && start < length; start += 16) {
        float score[2][4] = {};
        for (int half = 0; half < 2; half++)
            for (int part = 0; part < SIZE / 16; part++) {
                const unsigned *key = keys + ((start + half * 8 + group) * SIZE + part * 16) / 2 + member;
                multiply(score[half], a[part], key[0], key[4]);
            }
        for (int row = 0; row < 2; row++) {
            int query = first + group + row * 8;
            float best = most[row];
            for (int half = 0; half < 2; half++)
                for (int i = 0; i < 2; i++) {
                    float &s = score[half][row * 2 + i];
                    s = start + half * 8 + member * 2 + i <= query ? s * scale : -INFINITY;
                    best = fmaxf(best, s);
                }
            best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
            best = fmaxf(best, __shfl_xor_sync(~0u, best, 2));
            float change = exponential(most[row] - best), added = 0;
            for (int half = 0; half < 2; half++)
                for (int i = 0; i < 2; i++) {
                    float &s = score[half][row * 2 + i];
                    s = exponential(s - best);
                    added += s;
                }
            added += __shfl_xor_sync(~0u, added, 1);
            added += __shfl_xor_sync(~0u, added, 2);
            total[row] = total[row] * change + added;
            most[row] = best;
            for (int part = 0; part < SIZE / 8; part++) {
                sum[part][row * 2] *= change;
                sum[part][row * 2 + 1] *= change;
            }
        }
        unsigned p[4] = {pair(score[0][0], score[0][1]), pair(score[0][2], score[0][3]), pair(score[1][0], score[1][1]), pair(score[1][2], score[1][3])};
        for (int part = 0; part < SIZE / 8; part++) {
            const unsigned short *value = values + (start + member * 2) * SIZE + part * 8 + group;
            unsigned low = value[0] | value[SIZE] << 16, high = value[8 * SIZE] | value[9 * SIZE] << 16;
            multiply(sum[part], p, low, high);
        }
    }
    for (int row = 0; row < 2; row++) {
        int query = first + group + row * 8;
        for (int part = 0; part < SIZE / 8; part++) {
            out[query * SIZE + part * 8 + member * 2] = sum[part][row * 2] / total[row];
            out[query * SIZE + part * 8 + member * 2 + 1] = sum[part][row * 2 + 1] / total[row];
        }
        if (member == 0) logs[query] = most[row] + __log2f(total[row]);
    }
}
