// Products by warp groups of tiles that the tensor memory accelerator brings: one warp asks for tiles of A and B, 128 bytes of each row and column, in turn for
// two stages, four others multiply what has come. In bf16, tf32, e4m3 and s8 a step takes 32 bytes of each.
#include <cstdint>
struct alignas(64) Map {
    uint64_t words[16];
};
#define SIXTEEN(kind, s)                                                                                                          \
    kind(s[0]), kind(s[1]), kind(s[2]), kind(s[3]), kind(s[4]), kind(s[5]), kind(s[6]), kind(s[7]), kind(s[8]), kind(s[9]), kind(s[10]), \
        kind(s[11]), kind(s[12]), kind(s[13]), kind(s[14]), kind(s[15])
#define REAL(x) "+f"(x)
#define WHOLE(x) "+r"(x)
#define PRODUCT(name, sum, kind, text, rest)                                                                                      \
    struct name {                                                                                                                 \
        using Sum = sum;                                                                                                          \
        static __device__ void step(sum (&s)[16], uint64_t a, uint64_t b, int more) {                                             \
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %18, 0; wgmma.mma_async.sync.aligned." text                              \
                " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, p" rest "; }"                                 \
                : SIXTEEN(kind, s) : "l"(a), "l"(b), "r"(more));                                                                  \
        }                                                                                                                         \
    };
PRODUCT(Bf16, float, REAL, "m64n32k16.f32.bf16.bf16", ", 1, 1, 0, 0")
PRODUCT(Tf32, float, REAL, "m64n32k8.f32.tf32.tf32", ", 1, 1")
PRODUCT(Fp8, float, REAL, "m64n32k32.f32.e4m3.e4m3", ", 1, 1")
PRODUCT(S8, int, WHOLE, "m64n32k32.s32.s8.s8", "")

// A CTA has 64 rows and 32 columns of D. `wide` is how many elements 128 bytes hold.
template <class Type> __device__ void product(const Map &a, const Map &b, typename Type::Sum *d, int rounds, int wide, int columns) {
    __shared__ __align__(1024) char left[2][64 * 128], right[2][32 * 128];
    __shared__ uint64_t full[2], empty[2];
    auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto wait = [&](uint64_t *barrier, unsigned parity) {
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(barrier)), "r"(parity) : "memory");
    };
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&full[i])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(place(&empty[i])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int row = blockIdx.y * 64, column = blockIdx.x * 32;
    if (threadIdx.x >= 128) {
        if (threadIdx.x != 128) return;
        for (int round = 0; round < rounds; round++) {
            int stage = round % 2;
            wait(&empty[stage], round / 2 % 2 ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&full[stage])), "r"(96 * 128) : "memory");
            auto bring = [&](const Map &map, const char *to, int line) {
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place(to)),
                    "l"(&map), "r"(round * wide), "r"(line), "r"(place(&full[stage])) : "memory");
            };
            bring(a, left[stage], row);
            bring(b, right[stage], column);
        }
        return;
    }
    auto describe = [&](const char *p) { return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62; };
    typename Type::Sum sum[16];
    for (int i = 0; i < 16; i++) sum[i] = 0;
    for (int round = 0; round < rounds; round++) {
        int stage = round % 2;
        wait(&full[stage], round / 2 % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        uint64_t x = describe(left[stage]), y = describe(right[stage]);
#pragma unroll
        for (int k = 0; k < 4; k++) Type::step(sum, x + k * 2, y + k * 2, round + k);
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(&empty[stage])) : "memory");
    }
    int lane = threadIdx.x % 32, first = row + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 16; i++) d[(first + i / 2 % 2 * 8) * columns + column + i / 4 * 8 + lane % 4 * 2 + i % 2] = sum[i];
}
#define KERNEL(name, type)                                                                                                        \
    extern "C" __global__ void name(const __grid_constant__ Map a, const __grid_constant__ Map b, type::Sum *d, int rounds, int wide, int columns) { \
        product<type>(a, b, d, rounds, wide, columns);                                                                            \
    }
KERNEL(bf16, Bf16)
KERNEL(tf32, Tf32)
KERNEL(fp8, Fp8)
KERNEL(s8, S8)
