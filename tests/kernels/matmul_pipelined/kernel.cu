// A product of halves in tiles of 32 by 32, of which cp.async fetches one ahead of the tensor cores; ldmatrix reads what was fetched.
#include <cuda_fp16.h>
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void matmul(const __half *a, const __half *b, float *c, int m, int n, int k) {
    __shared__ __align__(16) __half tile_a[2][32][40], tile_b[2][32][40];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    int row = blockIdx.y * 32, column = blockIdx.x * 32;
    float sum[2][4] = {};
    auto fetch = [&](int step) {
        int line = thread / 4, part = thread % 4 * 8, stage = step & 1;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile_a[stage][line][part])),
                     "l"(a + (row + line) * k + step * 32 + part) : "memory");
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile_b[stage][line][part])),
                     "l"(b + (step * 32 + line) * n + column + part) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    int steps = k / 32;
    for (int step = 0; step < steps; step++) {
        if (step + 1 < steps) {
            fetch(step + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        int stage = step & 1, top = warp / 2 * 16, left = warp % 2 * 16;
        for (int depth = 0; depth < 32; depth += 16) {
            unsigned x[4], y[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                         : "r"(shared_address(&tile_a[stage][top + lane % 16][depth + lane / 16 * 8])));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                         : "r"(shared_address(&tile_b[stage][depth + lane % 16][left + lane / 16 * 8])));
            for (int half = 0; half < 2; half++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(sum[half][0]), "+f"(sum[half][1]), "+f"(sum[half][2]), "+f"(sum[half][3])
                             : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * half]), "r"(y[2 * half + 1]));
        }
        __syncthreads();
    }
    for (int half = 0; half < 2; half++) {
        float *to = c + (row + warp / 2 * 16 + lane / 4) * n + column + warp % 2 * 16 + half * 8 + lane % 4 * 2;
        to[0] = sum[half][0];
        to[1] = sum[half][1];
        to[8 * n] = sum[half][2];
        to[8 * n + 1] = sum[half][3];
    }
}
