// A product by pairs of CTAs on the tensor cores of the fifth generation: each brings its 128 rows of A and its half of the columns of B, in turn for two stages, and
// tells the barrier of the even one, which multiplies for both and frees the stages of both. Each takes its own rows of D out of its tensor memory.
#include <cstdint>
struct alignas(64) Map {
    uint64_t words[16];
};

// Each pair has 256 rows and 64 columns of D. `rounds` times 64 elements of bf16.
extern "C" __global__ void __cluster_dims__(2, 1, 1) product(const __grid_constant__ Map a, const __grid_constant__ Map b, float *d, int rounds, int columns) {
    __shared__ __align__(1024) char left[2][128 * 128], right[2][32 * 128];
    __shared__ uint64_t full[2], empty[2], done;
    __shared__ unsigned allocated;
    auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto wait = [&](uint64_t *barrier, unsigned parity) {
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(barrier)), "r"(parity) : "memory");
    };
    auto commit = [&](uint64_t *barrier) {
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(place(barrier)), "h"((short)3) : "memory");
    };
    auto describe = [&](const char *p) { return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 46 | (uint64_t)2 << 61; };
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    int warp = threadIdx.x / 32, row = blockIdx.x * 128, column = blockIdx.y * 64;
    if (threadIdx.x == 0) {
        uint64_t *const barriers[] = {&full[0], &full[1]};
        for (uint64_t *barrier : barriers) asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(place(barrier)) : "memory");
        uint64_t *const others[] = {&empty[0], &empty[1], &done};
        for (uint64_t *barrier : others) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == 1) {
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(place(&allocated)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    unsigned sums = allocated;
    if (threadIdx.x == 0) {
        for (int round = 0; round < rounds; round++) {
            int stage = round % 2;
            wait(&empty[stage], round / 2 % 2 ^ 1);
            unsigned told;
            asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(told) : "r"(place(&full[stage])));
            asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(told), "r"(160 * 128) : "memory");
            auto bring = [&](const Map &map, const char *to, int line) {
                asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place(to)), "l"(&map),
                    "r"(round * 64), "r"(line), "r"(told) : "memory");
            };
            bring(a, left[stage], row);
            bring(b, right[stage], column + rank * 32);
        }
    } else if (threadIdx.x == 32 && rank == 0) {
        for (int round = 0; round < rounds; round++) {
            int stage = round % 2;
            wait(&full[stage], round / 2 % 2);
            // f32 sums of bf16, 64 columns, 256 rows.
            unsigned description = 1 << 4 | 1 << 7 | 1 << 10 | 64 / 8 << 17 | 256 / 16 << 24;
#pragma unroll
            for (int step = 0; step < 4; step++)
                asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(sums), "l"(describe(left[stage]) + step * 2),
                    "l"(describe(right[stage]) + step * 2), "r"(description), "r"(round + step) : "memory");
            commit(&empty[stage]);
        }
        commit(&done);
    } else if (warp >= 2) {
        wait(&done, 0);
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        int lanes = warp % 4 * 32;
        float *to = d + (row + lanes + threadIdx.x % 32) * columns + column;
#pragma unroll
        for (int part = 0; part < 64; part += 8) {
            float s[8];
            asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]; tcgen05.wait::ld.sync.aligned;"
                : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]) : "r"(sums + (lanes << 16) + part) : "memory");
            for (int i = 0; i < 8; i++) to[part + i] = s[i];
        }
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    }
    __syncthreads();
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (warp == 1) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 64;" ::"r"(sums) : "memory");
}
