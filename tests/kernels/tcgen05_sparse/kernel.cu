// Products with a sparse A on the tensor cores of the fifth generation: of each four neighbours in a row two are stored, and which they are says the metadata, two bits for
// each, in tensor memory. Kernels for f16, where two lanes share the metadata of two rows and a selector says in which of two columns they are, and for bytes of e4m3;
// with 128 rows, and with 64, which have half of the lanes.
#include <cstdint>
struct alignas(64) Map {
    uint64_t words[16];
};
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(uint64_t *barrier, unsigned parity) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(barrier)), "r"(parity) : "memory");
}
__device__ uint64_t describe(const char *p) {
    return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 46 | (uint64_t)2 << 61;
}
struct Half {
    static const int words = 1;
    static __device__ void step(unsigned d, uint64_t a, uint64_t b, unsigned metadata, int step, int rows, int more) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %2, [%3], %4, p; }" ::"r"(d), "l"(a), "l"(b),
            "r"(metadata + step / 2 * 2), "r"(step % 2 | 1 << 2 | 1 << 4 | 32 / 8 << 17 | rows / 16 << 24), "r"(more) : "memory");
    }
    static __device__ void store(unsigned to, const unsigned *from) { asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(to), "r"(from[0]) : "memory"); }
};
struct Byte {
    static const int words = 2;
    static __device__ void step(unsigned d, uint64_t a, uint64_t b, unsigned metadata, int step, int rows, int more) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; tcgen05.mma.sp.cta_group::1.kind::f8f6f4 [%0], %1, %2, [%3], %4, p; }" ::"r"(d), "l"(a), "l"(b),
            "r"(metadata + step * 2), "r"(1 << 2 | 1 << 4 | 32 / 8 << 17 | rows / 16 << 24), "r"(more) : "memory");
    }
    static __device__ void store(unsigned to, const unsigned *from) { asm volatile("tcgen05.st.sync.aligned.32x32b.x2.b32 [%0], {%1, %2};" ::"r"(to), "r"(from[0]), "r"(from[1]) : "memory"); }
};

// A of ROWS rows, of which there are 128, and B of 32 columns; a round takes 128 bytes of A as it is stored and 256 of B. `wide` is how many elements 128 bytes hold.
template <class Type, int ROWS> __device__ void product(const Map &a, const Map &b, const unsigned *metadata, float *d, int rounds, int wide) {
    __shared__ __align__(1024) char left[128 * 128], right[2][32 * 128];
    __shared__ uint64_t full, done;
    __shared__ unsigned allocated;
    if (threadIdx.x == 0) {
        uint64_t *const barriers[] = {&full, &done};
        for (uint64_t *barrier : barriers) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (threadIdx.x < 32) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(place(&allocated)) : "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    // D in columns 0 to 31, the metadata of four steps from 32 on.
    unsigned first = allocated, lanes = threadIdx.x / 32 << 21;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&full)), "r"(192 * 128) : "memory");
            auto bring = [&](const Map &map, const char *to, int at) {
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, 0}], [%3];" ::"r"(place(to)), "l"(&map), "r"(at),
                    "r"(place(&full)) : "memory");
            };
            bring(a, left, round * wide);
            bring(b, right[0], round * 2 * wide);
            bring(b, right[1], (round * 2 + 1) * wide);
        }
        const unsigned *from = metadata + (round * 128 + threadIdx.x) * 4 * Type::words;
#pragma unroll
        for (int step = 0; step < 4; step++) Type::store(first + 32 + step * Type::words + lanes, from + step * Type::words);
        asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
        __syncthreads();
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        if (threadIdx.x == 0) {
            wait(&full, round % 2);
#pragma unroll
            for (int step = 0; step < 4; step++)
                Type::step(first, describe(left) + step * 2, describe(right[step / 2]) + step % 2 * 4, first + 32, step, ROWS, round + step);
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(&done)) : "memory");
        }
        wait(&done, round % 2);
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    }
#pragma unroll
    for (int part = 0; part < 32; part += 8) {
        float s[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]; tcgen05.wait::ld.sync.aligned;"
            : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]), "=f"(s[7]) : "r"(first + lanes + part) : "memory");
        unsigned row = ROWS == 64 ? threadIdx.x / 32 * 16 + threadIdx.x % 32 : threadIdx.x;
        if (ROWS == 128 || threadIdx.x % 32 < 16)
            for (int i = 0; i < 8; i++) d[row * 32 + part + i] = s[i];
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(first) : "memory");
    }
}
#define KERNEL(name, type, rows)                                                                                                  \
    extern "C" __global__ void name(const __grid_constant__ Map a, const __grid_constant__ Map b, const unsigned *metadata, float *d, int rounds, int wide) { \
        product<type, rows>(a, b, metadata, d, rounds, wide);                                                                      \
    }
KERNEL(half_precision, Half, 128)
KERNEL(bytes, Byte, 128)
KERNEL(half_precision_64, Half, 64)
KERNEL(bytes_64, Byte, 64)
