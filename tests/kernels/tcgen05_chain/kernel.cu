// Two products in a chain on the tensor cores of the fifth generation, as in attention: S = Q K^T for 32 lines of K at a time, what of it is positive goes back to tensor
// memory as f16 and is the A of D += max(S, 0) V. The next S is made, in other columns, while this one is worked on. V lies with its columns side by side.
#include <cstdint>
#include <cuda_fp16.h>
struct alignas(64) Map {
    uint64_t words[16];
};

// Q of 128 rows, K and V of 96 rows, 64 columns each.
extern "C" __global__ void chain(const __grid_constant__ Map q, const __grid_constant__ Map k, const __grid_constant__ Map v, float *d) {
    __shared__ __align__(1024) char queries[128 * 128], keys[96 * 128], values[96 * 128];
    __shared__ uint64_t come, made[2], done;
    __shared__ unsigned allocated;
    auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto wait = [&](uint64_t *barrier, unsigned parity) {
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(barrier)), "r"(parity) : "memory");
    };
    auto commit = [&](uint64_t *barrier) {
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(barrier)) : "memory");
    };
    auto describe = [&](const char *p) { return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 46 | (uint64_t)2 << 61; };
    if (threadIdx.x == 0) {
        uint64_t *const barriers[] = {&come, &made[0], &made[1], &done};
        for (uint64_t *barrier : barriers) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&come)), "r"(320 * 128) : "memory");
        auto bring = [&](const Map &map, const char *to) {
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::"r"(place(to)), "l"(&map), "r"(place(&come)) : "memory");
        };
        bring(q, queries);
        bring(k, keys);
        bring(v, values);
    }
    if (threadIdx.x < 32) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(place(&allocated)) : "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    // S and what is made of it in columns 0 to 31 and 32 to 63 in turn, D in 64 to 127.
    unsigned first = allocated, lanes = threadIdx.x / 32 << 21;
    auto score = [&](int block) {
        unsigned description = 1 << 4 | 32 / 8 << 17 | 128 / 16 << 24;
#pragma unroll
        for (int step = 0; step < 4; step++)
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(first + block % 2 * 32),
                "l"(describe(queries) + step * 2), "l"(describe(keys + block * 4096) + step * 2), "r"(description), "r"(step) : "memory");
        commit(&made[block % 2]);
    };
    wait(&come, 0);
    if (threadIdx.x == 0) score(0);
    for (int block = 0; block < 3; block++) {
        unsigned here = first + block % 2 * 32;
        if (block < 2 && threadIdx.x == 0) score(block + 1);
        wait(&made[block % 2], block / 2);
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        float s[32];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, [%32];"
            "tcgen05.wait::ld.sync.aligned;"
            : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]), "=f"(s[8]), "=f"(s[9]), "=f"(s[10]), "=f"(s[11]), "=f"(s[12]),
            "=f"(s[13]), "=f"(s[14]), "=f"(s[15]), "=f"(s[16]), "=f"(s[17]), "=f"(s[18]), "=f"(s[19]), "=f"(s[20]), "=f"(s[21]), "=f"(s[22]), "=f"(s[23]), "=f"(s[24]),
            "=f"(s[25]), "=f"(s[26]), "=f"(s[27]), "=f"(s[28]), "=f"(s[29]), "=f"(s[30]), "=f"(s[31]) : "r"(here + lanes) : "memory");
        unsigned p[16];
#pragma unroll
        for (int i = 0; i < 16; i++) {
            __half2 two = __floats2half2_rn(fmaxf(s[i * 2], 0), fmaxf(s[i * 2 + 1], 0));
            p[i] = *(unsigned *)&two;
        }
        asm volatile("tcgen05.st.sync.aligned.32x32b.x16.b32 [%16], {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}; tcgen05.wait::st.sync.aligned;" ::"r"(p[0]), "r"(p[1]),
            "r"(p[2]), "r"(p[3]), "r"(p[4]), "r"(p[5]), "r"(p[6]), "r"(p[7]), "r"(p[8]), "r"(p[9]), "r"(p[10]), "r"(p[11]), "r"(p[12]), "r"(p[13]), "r"(p[14]), "r"(p[15]),
            "r"(here + lanes) : "memory");
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
        __syncthreads();
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        if (threadIdx.x == 0) {
            // B with its columns side by side.
            unsigned description = 1 << 4 | 1 << 16 | 64 / 8 << 17 | 128 / 16 << 24;
#pragma unroll
            for (int step = 0; step < 2; step++)
                asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(first + 64), "r"(here + step * 8),
                    "l"(describe(values + block * 4096) + step * 128), "r"(description), "r"(block + step) : "memory");
        }
    }
    if (threadIdx.x == 0) commit(&done);
    wait(&done, 0);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#pragma unroll
    for (int part = 0; part < 64; part += 8) {
        float s[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]; tcgen05.wait::ld.sync.aligned;"
            : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]) : "r"(first + 64 + lanes + part) : "memory");
        for (int i = 0; i < 8; i++) d[threadIdx.x * 64 + part + i] = s[i];
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(first) : "memory");
    }
}
