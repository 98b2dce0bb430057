// 64x16x64 of bytes by one warp group: A sparse, in registers; B in shared memory, by columns, without swizzle.
#include <cstdint>
extern "C" __global__ void multiply(const int8_t *a, const uint32_t *metadata, const int8_t *b, int *d) {
    __shared__ __align__(128) int8_t right[16 * 64];
    for (int i = threadIdx.x; i < 16 * 64; i += 128) {
        int column = i / 64, k = i % 64;
        right[column % 8 * 16 + column / 8 * 128 + k / 16 * 256 + k % 16] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    uint64_t address = __cvta_generic_to_shared(right);
    uint64_t y = (address & 0x3ffff) >> 4 | (uint64_t)(256 >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    uint32_t x[4];
    // A has 32 stored bytes in a row.
    for (int i = 0; i < 4; i++) x[i] = *(const uint32_t *)(a + (row + i % 2 * 8) * 32 + i / 2 * 16 + lane % 4 * 4);
    // Two words of metadata for a row: of columns 0-31, in the lower two lanes of four, and of the others.
    uint32_t e = metadata[(row + lane % 2 * 8) * 2 + lane % 4 / 2];
    int r[8];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n16k64.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, %12, %13, 0, 0;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(y), "r"(e));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 8; i++) d[(row + i / 2 % 2 * 8) * 16 + i / 4 * 8 + lane % 4 * 2 + i % 2] = r[i];
}
