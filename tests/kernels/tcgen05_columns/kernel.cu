// Products on the tensor cores of the fifth generation with a stationary B, of which a mask takes columns for zero, and which begins at its third column. Fewer rows
// have the columns of the result in two or four parts below each other, each with a mask of its own; and where A lies in tensor memory, each with the rows beside it.
#include <cstdint>
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
// A matrix of units of 8 rows and 16 bytes, 128 bytes apart along a row and 256 bytes down.
__device__ uint64_t describe(const char *p) { return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32 | (uint64_t)1 << 46; }

// A: ROWS rows, or in tensor memory 128, B: 72 columns of 16 halves. D is written as it lies: 128 lanes of as many columns as 64 columns of ROWS rows take.
template <int ROWS, bool TENSOR> __device__ void product(const uint4 *a, const uint4 *b, uint64_t mask, float *d) {
    __shared__ __align__(128) char left[128 * 32], right[72 * 32];
    __shared__ uint64_t done;
    __shared__ unsigned allocated;
    unsigned thread = threadIdx.x;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&done)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (thread < 32) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(place(&allocated)) : "memory");
    auto unit = [](unsigned i) { return i % 2 * 128 + i / 16 * 256 + i / 2 % 8 * 16; };
    for (unsigned i = thread; i < ROWS * 2; i += 128) *(uint4 *)&left[unit(i)] = a[i];
    for (unsigned i = thread; i < 72 * 2; i += 128) *(uint4 *)&right[unit(i)] = b[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    unsigned first = allocated, lanes = thread / 32 << 21;
    if (TENSOR) {
        uint4 low = a[thread * 2], high = a[thread * 2 + 1];
        asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}; tcgen05.wait::st.sync.aligned;" ::"r"(first + 64 + lanes), "r"(low.x), "r"(low.y),
            "r"(low.z), "r"(low.w), "r"(high.x), "r"(high.y), "r"(high.z), "r"(high.w) : "memory");
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
        __syncthreads();
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    }
    if (thread == 0) {
        // Columns may be shifted by 8.
        unsigned description = 1 << 4 | 64 / 8 << 17 | ROWS / 16 << 24 | 1 << 30;
        if (TENSOR)
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, %3; tcgen05.mma.ws.cta_group::1.kind::f16 [%0], [%1], %2, %3, p, %4; }" ::"r"(first), "r"(first + 64),
                "l"(describe(right)), "r"(description), "l"(mask) : "memory");
        else
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, %3; tcgen05.mma.ws.cta_group::1.kind::f16 [%0], %1, %2, %3, p, %4; }" ::"r"(first), "l"(describe(left)),
                "l"(describe(right)), "r"(description), "l"(mask) : "memory");
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(&done)) : "memory");
    }
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN; }" ::"r"(place(&done)) : "memory");
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    const int width = 64 * ROWS / 128;
#pragma unroll
    for (int part = 0; part < width; part += 8) {
        float s[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]; tcgen05.wait::ld.sync.aligned;"
            : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]) : "r"(first + lanes + part) : "memory");
        for (int i = 0; i < 8; i++) d[thread * width + part + i] = s[i];
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (thread < 32) {
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(first) : "memory");
    }
}
#define KERNEL(name, rows, tensor) \
    extern "C" __global__ void name(const uint4 *a, const uint4 *b, uint64_t mask, float *d) { product<rows, tensor>(a, b, mask, d); }
KERNEL(rows_128, 128, false)
KERNEL(rows_64, 64, false)
KERNEL(rows_32, 32, false)
KERNEL(tensor_64, 64, true)
KERNEL(tensor_32, 32, true)
