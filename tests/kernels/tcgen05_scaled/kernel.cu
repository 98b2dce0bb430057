// A product with scales for blocks of 32 on the tensor cores of the fifth generation, by tiles: 128 elements of each row and column and their four scales come for a
// round, by tensor and by bulk copies, the scales go on to tensor memory, and each of the four steps takes another byte of them.
#include <cstdint>
struct alignas(64) Map {
    uint64_t words[16];
};

// A of e4m3, B of e5m2, scales of ue8m0: 512 bytes for each tile of 128 lines and round, those of a round after those of the one before.
// A CTA has 128 rows and 64 columns of D.
extern "C" __global__ void product(const __grid_constant__ Map a, const __grid_constant__ Map b, const char *scales_a, const char *scales_b, float *d, int rounds, int columns) {
    __shared__ __align__(1024) char left[128 * 128], right[64 * 128];
    __shared__ __align__(128) char scales[2][512];
    __shared__ uint64_t full, done, last;
    __shared__ unsigned allocated;
    auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto wait = [&](uint64_t *barrier, unsigned parity) {
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(barrier)), "r"(parity) : "memory");
    };
    auto describe = [&](const char *p, int stride, uint64_t swizzle) {
        return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 46 | swizzle << 61;
    };
    int row = blockIdx.y * 128, column = blockIdx.x * 64;
    if (threadIdx.x == 0) {
        uint64_t *const barriers[] = {&full, &done, &last};
        for (uint64_t *barrier : barriers) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (threadIdx.x < 32) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(place(&allocated)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    // D in columns 0 to 63, the scales of A in 64 to 67, those of B in 68 to 71.
    unsigned first = allocated;
    if (threadIdx.x == 0) {
        for (int round = 0; round < rounds; round++) {
            if (round > 0) wait(&done, round % 2 ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&full)), "r"(192 * 128 + 1024) : "memory");
            auto bring = [&](const Map &map, const char *to, int line) {
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place(to)), "l"(&map),
                    "r"(round * 128), "r"(line), "r"(place(&full)) : "memory");
            };
            auto copy = [&](const char *from, const char *to) {
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(place(to)), "l"(from), "r"(place(&full)) : "memory");
            };
            bring(a, left, row);
            bring(b, right, column);
            copy(scales_a + (blockIdx.y * rounds + round) * 512, scales[0]);
            copy(scales_b + (blockIdx.x * rounds + round) * 512, scales[1]);
            wait(&full, round % 2);
            for (int i = 0; i < 2; i++)
                asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(first + 64 + i * 4), "l"(describe(scales[i], 128, 0)) : "memory");
            for (int step = 0; step < 4; step++) {
                unsigned description = 1 << 10 | 64 / 8 << 17 | 1 << 23 | 128 / 16 << 24 | step << 29 | step << 4;
                asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32 [%0], %1, %2, %3, [%5], [%6], p; }" ::"r"(first),
                    "l"(describe(left, 1024, 2) + step * 2), "l"(describe(right, 1024, 2) + step * 2), "r"(description), "r"(round + step), "r"(first + 64), "r"(first + 68) : "memory");
            }
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(round + 1 < rounds ? &done : &last)) : "memory");
        }
    }
    wait(&last, 0);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#pragma unroll
    for (int part = 0; part < 64; part += 8) {
        float s[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]; tcgen05.wait::ld.sync.aligned;"
            : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]) : "r"(first + (threadIdx.x / 32 << 21) + part) : "memory");
        for (int i = 0; i < 8; i++) d[(row + threadIdx.x) * columns + column + part + i] = s[i];
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(first) : "memory");
}
