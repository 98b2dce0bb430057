// A convolution along rows on the tensor cores of the fifth generation: the rows stay in tensor memory, and for each of three elements of the filter they move down by one,
// once by an instruction of its own, once with the product. The last row of each 32 lanes, which does not move, is filled from shared memory.
#include <cstdint>
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
// A matrix of units of 8 rows and 16 bytes, 128 bytes apart along a row and 256 bytes down.
__device__ uint64_t describe(const char *p) { return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32 | (uint64_t)1 << 46; }

// x: 130 rows of 16 channels; w: for each element 16 columns of 16 channels; d: 128 rows of 16 columns.
extern "C" __global__ void slide(const uint4 *x, const uint4 *w, float *d) {
    __shared__ __align__(128) char filter[3][512], next[2][256];
    __shared__ uint64_t done[2];
    __shared__ unsigned allocated;
    unsigned thread = threadIdx.x, lanes = thread / 32 << 21;
    if (thread == 0) {
        for (int i = 0; i < 2; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&done[i])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (thread < 32) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(place(&allocated)) : "memory");
    if (thread < 96) {
        unsigned element = thread / 32, column = thread / 2 % 16, half = thread % 2;
        *(uint4 *)&filter[element][half * 128 + column / 8 * 256 + column % 8 * 16] = w[thread];
    } else if (thread < 112) {
        unsigned element = thread / 8 % 2, part = thread / 2 % 4, half = thread % 2;
        *(uint4 *)&next[element][half * 128 + part * 16] = x[(32 * (part + 1) + element) * 2 + half];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    // The rows in columns 0 to 7, the sums in 32 to 47.
    unsigned rows = allocated, sums = rows + 32;
    uint4 low = x[thread * 2], high = x[thread * 2 + 1];
    asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}; tcgen05.wait::st.sync.aligned;" ::"r"(rows + lanes), "r"(low.x), "r"(low.y), "r"(low.z),
        "r"(low.w), "r"(high.x), "r"(high.y), "r"(high.z), "r"(high.w) : "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    auto wait = [&](int i) {
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN; }" ::"r"(place(&done[i])) : "memory");
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    };
    if (thread == 0) {
        unsigned description = 1 << 4 | 16 / 8 << 17 | 128 / 16 << 24;
        auto fill = [&](int i) { asm volatile("tcgen05.cp.cta_group::1.4x256b [%0], %1;" ::"r"(rows + (31 << 16)), "l"(describe(next[i])) : "memory"); };
        auto commit = [&](int i) { asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(&done[i])) : "memory"); };
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, %2; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %3, %2, p; }" ::"r"(sums), "r"(rows), "r"(description),
            "l"(describe(filter[0])) : "memory");
        asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(rows) : "memory");
        fill(0);
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %2, %2; tcgen05.mma.cta_group::1.kind::f16.ashift [%0], [%1], %3, %2, p; }" ::"r"(sums), "r"(rows), "r"(description),
            "l"(describe(filter[1])) : "memory");
        commit(0);
        wait(0);
        fill(1);
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %2, %2; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %3, %2, p; }" ::"r"(sums), "r"(rows), "r"(description),
            "l"(describe(filter[2])) : "memory");
        commit(1);
    }
    wait(1);
#pragma unroll
    for (int part = 0; part < 16; part += 8) {
        float s[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]; tcgen05.wait::ld.sync.aligned;"
            : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]) : "r"(sums + lanes + part) : "memory");
        for (int i = 0; i < 8; i++) d[thread * 16 + part + i] = s[i];
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (thread < 32) {
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(rows) : "memory");
    }
}
