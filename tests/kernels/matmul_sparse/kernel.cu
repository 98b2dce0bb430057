// A product of matrices of several tiles by mma.sp of bfloat16, A with two elements in every four. Two stages are copied in turn by cp.async.
// A of rows of so many words, B of columns of so many; a CTA has 16 rows and 32 columns of D, each of its four warps 8 of the columns.
// Of every four elements of a row of A two are kept; where they stood is in `where`, 16 bits for 16 columns, row by row.
extern "C" __global__ void product(const unsigned *a, const unsigned short *where, const unsigned *b, float *d, int words, int columns) {
    __shared__ __align__(16) unsigned left[2][16][20], right[2][32][36];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, member = lane % 4;
    int row = blockIdx.y * 16, column = blockIdx.x * 32;
    auto copy = [](unsigned *to, const unsigned *from) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
    };
    auto load = [&](int round) {
        int line = threadIdx.x / 4, part = threadIdx.x % 4 * 4, at = round * 16 + part;
        if (line < 16) copy(&left[round % 2][line][part], a + (row + line) * words + at);
        for (int i = 0; i < 32; i += 16) copy(&right[round % 2][line][part + i], b + (column + line) * words * 2 + round * 32 + i + part);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float sum[4] = {};
    int rounds = words / 16;
    load(0);
    for (int round = 0; round < rounds; round++) {
        if (round + 1 < rounds) {
            load(round + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        for (int step = 0; step < 2; step++) {
            unsigned x[4], y[4];
            for (int i = 0; i < 4; i++) x[i] = left[round % 2][group + i % 2 * 8][step * 8 + i / 2 * 4 + member];
            for (int i = 0; i < 4; i++) y[i] = right[round % 2][warp * 8 + group][step * 16 + i * 4 + member];
            // Members 0 and 1 of four give the places of columns 0-15 and 16-31, of rows g and g + 8.
            int at = (row + group) * (words / 4) + round * 4 + step * 2 + member % 2;
            unsigned places = where[at] | (unsigned)where[at + 8 * (words / 4)] << 16;
            asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0;"
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(places));
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) d[(row + group + i / 2 * 8) * columns + column + warp * 8 + member * 2 + i % 2] = sum[i];
}
