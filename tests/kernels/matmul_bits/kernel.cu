// Products of matrices of bits of several tiles by mma.sync: how many bits of a row and a column differ, and how many are set in both. Each warp keeps a tile of A
// in registers and goes over the columns; the next words of B are loaded while those before are multiplied.
// A of rows of so many words, B of columns of so many; a warp has 16 rows and all columns of D.
#define KERNEL(name, text)                                                                                                        \
    extern "C" __global__ void name(const unsigned *a, const unsigned *b, int *d, int columns) {                                   \
        int lane = threadIdx.x % 32, group = lane / 4, member = lane % 4, row = (blockIdx.x * 2 + threadIdx.x / 32) * 16;           \
        const int words = 24;                                                                                                     \
        unsigned x[3][4];                                                                                                         \
        for (int step = 0; step < 3; step++)                                                                                      \
            for (int i = 0; i < 4; i++) x[step][i] = a[(row + group + i % 2 * 8) * words + step * 8 + i / 2 * 4 + member];          \
        auto load = [&](unsigned(&y)[3][2], int column) {                                                                         \
            for (int step = 0; step < 3; step++)                                                                                  \
                for (int i = 0; i < 2; i++) y[step][i] = b[(column + group) * words + step * 8 + i * 4 + member];                  \
        };                                                                                                                        \
        unsigned next[3][2];                                                                                                      \
        load(next, 0);                                                                                                            \
        for (int column = 0; column < columns; column += 8) {                                                                     \
            int s[4] = {};                                                                                                        \
            unsigned y[3][2];                                                                                                     \
            for (int i = 0; i < 6; i++) y[i / 2][i % 2] = next[i / 2][i % 2];                                                      \
            if (column + 8 < columns) load(next, column + 8);                                                                     \
            for (int step = 0; step < 3; step++)                                                                                  \
                asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32." text ".popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                    : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])                                                              \
                    : "r"(x[step][0]), "r"(x[step][1]), "r"(x[step][2]), "r"(x[step][3]), "r"(y[step][0]), "r"(y[step][1]));       \
            for (int i = 0; i < 4; i++) d[(row + group + i / 2 * 8) * columns + column + member * 2 + i % 2] = s[i];                \
        }                                                                                                                         \
    }
KERNEL(differing, "xor")
KERNEL(common, "and")
