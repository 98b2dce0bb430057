// A product of matrices of bytes, A with sign and B without, by tiles on the tensor cores of the fifth generation. The threads write the tiles to shared memory as the
// swizzle of 128 bytes wants them, two stages in turn: what a stage still multiplies is waited for before it is written anew.
#include <cstdint>

// A of rows of so many bytes, B of columns of so many; a CTA of 128 threads has 128 rows and 48 columns of D.
extern "C" __global__ void product(const int4 *a, const int4 *b, int *d, int bytes, int columns) {
    __shared__ __align__(1024) int4 left[2][128 * 8], right[2][48 * 8];
    __shared__ uint64_t done[2];
    __shared__ unsigned allocated;
    auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
    auto wait = [&](uint64_t *barrier, unsigned parity) {
        asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(place(barrier)), "r"(parity) : "memory");
    };
    auto describe = [&](const int4 *p) { return (uint64_t)(place(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 46 | (uint64_t)2 << 61; };
    int thread = threadIdx.x, row = blockIdx.y * 128, column = blockIdx.x * 48, units = bytes / 16;
    if (thread == 0) {
        for (int i = 0; i < 2; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&done[i])) : "memory");
    }
    if (thread < 32) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(place(&allocated)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    unsigned sums = allocated;
    int rounds = bytes / 128;
    for (int round = 0; round < rounds; round++) {
        int stage = round % 2;
        if (round >= 2) wait(&done[stage], round / 2 % 2 ^ 1);
        for (int i = thread; i < 128 * 8; i += 128) {
            int line = i / 8, unit = i % 8;
            left[stage][line * 8 + (unit ^ line % 8)] = a[(row + line) * units + round * 8 + unit];
            if (line < 48) right[stage][line * 8 + (unit ^ line % 8)] = b[(column + line) * units + round * 8 + unit];
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (thread == 0) {
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            // Sums of 32 bits, A with sign, B without, 48 columns, 128 rows.
            unsigned description = 2 << 4 | 1 << 7 | 0 << 10 | 48 / 8 << 17 | 128 / 16 << 24;
            for (int step = 0; step < 4; step++)
                asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %2, %3, p; }" ::"r"(sums),
                    "l"(describe(left[stage]) + step * 2), "l"(describe(right[stage]) + step * 2), "r"(description), "r"(round + step) : "memory");
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(place(&done[stage])) : "memory");
        }
    }
    wait(&done[(rounds - 1) % 2], (rounds - 1) / 2 % 2);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    int *to = d + (row + thread) * columns + column;
    for (int part = 0; part < 48; part += 8) {
        int s[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8]; tcgen05.wait::ld.sync.aligned;"
            : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3]), "=r"(s[4]), "=r"(s[5]), "=r"(s[6]), "=r"(s[7]) : "r"(sums + (thread / 32 << 21) + part) : "memory");
        for (int i = 0; i < 8; i++) to[part + i] = s[i];
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (thread < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(sums) : "memory");
}
