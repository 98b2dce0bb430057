// Products of matrices of four-bit integers of several tiles by mma.sync: with sign, without, and one of each with sums that saturate. Two stages are copied
// in turn by cp.async, the fragments of A come by ldmatrix, those of B by loads.
// A of rows of so many words, B of columns of so many; a CTA has 32 rows and 32 columns of D, each of its four warps 16 of both.
#define KERNEL(name, text)                                                                                                        \
    extern "C" __global__ void name(const unsigned *a, const unsigned *b, int *d, int words, int columns, int start) {             \
        __shared__ __align__(16) unsigned left[2][32][20], right[2][32][20];                                                       \
        int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, member = lane % 4;                                 \
        int row = blockIdx.y * 32, column = blockIdx.x * 32, down = warp / 2 * 16, across = warp % 2 * 16;                          \
        auto place = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };                                          \
        auto copy = [&](unsigned *to, const unsigned *from) {                                                                      \
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(to)), "l"(from) : "memory");                       \
        };                                                                                                                        \
        auto load = [&](int round) {                                                                                              \
            int line = threadIdx.x / 4, part = threadIdx.x % 4 * 4, at = round * 16 + part;                                        \
            copy(&left[round % 2][line][part], a + (row + line) * words + at);                                                     \
            copy(&right[round % 2][line][part], b + (column + line) * words + at);                                                 \
            asm volatile("cp.async.commit_group;" ::: "memory");                                                                  \
        };                                                                                                                        \
        int sum[2][4];                                                                                                            \
        for (int i = 0; i < 8; i++) sum[i / 4][i % 4] = start;                                                                     \
        int rounds = words / 16;                                                                                                  \
        load(0);                                                                                                                  \
        for (int round = 0; round < rounds; round++) {                                                                            \
            if (round + 1 < rounds) {                                                                                             \
                load(round + 1);                                                                                                  \
                asm volatile("cp.async.wait_group 1;" ::: "memory");                                                              \
            } else {                                                                                                              \
                asm volatile("cp.async.wait_group 0;" ::: "memory");                                                              \
            }                                                                                                                     \
            __syncthreads();                                                                                                      \
            for (int step = 0; step < 2; step++) {                                                                                \
                unsigned x[4];                                                                                                    \
                const unsigned *from = &left[round % 2][down + lane % 16][step * 8 + lane / 16 * 4];                                \
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                                       \
                    : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(place(from)) : "memory");                               \
                for (int tile = 0; tile < 2; tile++) {                                                                            \
                    const unsigned *y = &right[round % 2][across + tile * 8 + group][step * 8 + member];                            \
                    int(&s)[4] = sum[tile];                                                                                       \
                    asm("mma.sync.aligned.m16n8k64.row.col" text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"           \
                        : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[4])); \
                }                                                                                                                 \
            }                                                                                                                     \
            __syncthreads();                                                                                                      \
        }                                                                                                                         \
        for (int tile = 0; tile < 2; tile++)                                                                                      \
            for (int i = 0; i < 4; i++) d[(row + down + group + i / 2 * 8) * columns + column + across + tile * 8 + member * 2 + i % 2] = sum[tile][i]; \
    }
KERNEL(with_sign, ".s32.s4.s4.s32")
KERNEL(without, ".s32.u4.u4.s32")
KERNEL(saturated, ".satfinite.s32.s4.u4.s32")
