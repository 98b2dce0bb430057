// Persistent products on the tensor cores of the fifth generation: a CTA takes tiles of D in turn. One warp asks the tensor memory accelerator for tiles of A and
// B, 128 bytes of each row and column, in turn for two stages; the next one issues the products; four others take the sums of a tile out of tensor memory
// while those of the next one are made in other columns.
#include <cstdint>
struct alignas(64) Map {
    uint64_t words[16];
};
// Instruction descriptors: sums of f32, the types of A and B, 32 columns, 128 rows.
#define PRODUCT(name, kind, type)                                                                                                 \
    struct name {                                                                                                                 \
        static __device__ void step(unsigned d, uint64_t a, uint64_t b, int more) {                                               \
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, p; }" ::"r"(d), "l"(a), "l"(b), \
                "r"(1 << 4 | (type) << 7 | (type) << 10 | 32 / 8 << 17 | 128 / 16 << 24), "r"(more) : "memory");                    \
        }                                                                                                                         \
    };
PRODUCT(Bf16, "f16", 1)
PRODUCT(Tf32, "tf32", 2)
PRODUCT(Fp8, "f8f6f4", 0)

// D has `down` times 128 rows and `across` times 32 columns. `wide` is how many elements 128 bytes hold.
template <class Type> __device__ void product(const Map &a, const Map &b, float *d, int rounds, int wide, int down, int across) {
    __shared__ __align__(1024) char left[2][128 * 128], right[2][32 * 128];
    __shared__ uint64_t full[2], empty[2], summed[2], taken[2];
    __shared__ unsigned columns;
    auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto wait = [&](uint64_t *barrier, unsigned parity) {
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(barrier)), "r"(parity) : "memory");
    };
    auto commit = [&](uint64_t *barrier) {
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(barrier)) : "memory");
    };
    auto describe = [&](const char *p) { return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 46 | (uint64_t)2 << 61; };
    int warp = threadIdx.x / 32, tiles = down * across;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            uint64_t *const barriers[] = {&full[i], &empty[i], &summed[i]};
            for (uint64_t *barrier : barriers) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(barrier)) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(place(&taken[i])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == 1) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(place(&columns)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    unsigned sums = columns;
    if (threadIdx.x == 0) {
        int round = 0;
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            for (int k = 0; k < rounds; k++, round++) {
                int stage = round % 2;
                wait(&empty[stage], round / 2 % 2 ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&full[stage])), "r"(160 * 128) : "memory");
                auto bring = [&](const Map &map, const char *to, int line) {
                    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place(to)),
                        "l"(&map), "r"(k * wide), "r"(line), "r"(place(&full[stage])) : "memory");
                };
                bring(a, left[stage], tile / across * 128);
                bring(b, right[stage], tile % across * 32);
            }
        }
    } else if (threadIdx.x == 32) {
        int round = 0, turn = 0;
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, turn++) {
            wait(&taken[turn % 2], turn / 2 % 2 ^ 1);
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            for (int k = 0; k < rounds; k++, round++) {
                int stage = round % 2;
                wait(&full[stage], round / 2 % 2);
                uint64_t x = describe(left[stage]), y = describe(right[stage]);
#pragma unroll
                for (int step = 0; step < 4; step++) Type::step(sums + turn % 2 * 32, x + step * 2, y + step * 2, k + step);
                commit(&empty[stage]);
            }
            commit(&summed[turn % 2]);
        }
    } else if (warp >= 2) {
        // A warp reaches the 32 lanes that its number in its group of four says.
        int turn = 0, row = warp % 4 * 32;
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, turn++) {
            wait(&summed[turn % 2], turn / 2 % 2);
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            float *to = d + ((tile / across * 128 + row + threadIdx.x % 32) * across + tile % across) * 32;
#pragma unroll
            for (int part = 0; part < 2; part++) {
                float s[16];
                asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, [%16]; tcgen05.wait::ld.sync.aligned;"
                    : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]), "=f"(s[8]), "=f"(s[9]), "=f"(s[10]), "=f"(s[11]),
                    "=f"(s[12]), "=f"(s[13]), "=f"(s[14]), "=f"(s[15]) : "r"(sums + (row << 16) + turn % 2 * 32 + part * 16) : "memory");
#pragma unroll
                for (int i = 0; i < 4; i++) *(float4 *)(to + part * 16 + i * 4) = make_float4(s[i * 4], s[i * 4 + 1], s[i * 4 + 2], s[i * 4 + 3]);
            }
            asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(&taken[turn % 2])) : "memory");
        }
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (warp == 1) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(sums) : "memory");
}
#define KERNEL(name, type)                                                                                                        \
    extern "C" __global__ void name(const __grid_constant__ Map a, const __grid_constant__ Map b, float *d, int rounds, int wide, int down, int across) { \
        product<type>(a, b, d, rounds, wide, down, across);                                                                       \
    }
KERNEL(bf16, Bf16)
KERNEL(tf32, Tf32)
KERNEL(fp8, Fp8)
