// A product of matrices of several tiles by mma.sync with scales for blocks, A of e4m3 and B of e5m2. Two stages are copied in turn by cp.async.
// A of rows of so many words, B of columns of so many; a CTA has 16 rows and 32 columns of D, each of its four warps 8 of the columns.
// Each 32 elements of a row or column have a scale, an exponent of eight bits.
extern "C" __global__ void product(const unsigned *a, const unsigned *b, const unsigned char *scale_a, const unsigned char *scale_b, float *d, int words, int columns) {
    __shared__ __align__(16) unsigned left[2][16][20], right[2][32][20];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, member = lane % 4;
    int row = blockIdx.y * 16, column = blockIdx.x * 32;
    auto copy = [](unsigned *to, const unsigned *from) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
    };
    auto load = [&](int round) {
        int line = threadIdx.x / 4, part = threadIdx.x % 4 * 4, at = round * 16 + part;
        if (line < 16) copy(&left[round % 2][line][part], a + (row + line) * words + at);
        copy(&right[round % 2][line][part], b + (column + line) * words + at);
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
            unsigned x[4], y[2];
            for (int i = 0; i < 4; i++) x[i] = left[round % 2][group + i % 2 * 8][step * 8 + i / 2 * 4 + member];
            for (int i = 0; i < 2; i++) y[i] = right[round % 2][warp * 8 + group][step * 8 + i * 4 + member];
            // Of four members the first two give the scales of rows g and g + 8, and the first that of column g.
            int block = round * 2 + step, blocks = words / 8;
            unsigned sa = scale_a[(row + group + member % 2 * 8) * blocks + block], sb = scale_b[(column + warp * 8 + group) * blocks + block];
            asm("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {%0,%1,%2,%3}, "
                "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {0, 0}, {%11}, {0, 0};"
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(sa), "r"(sb));
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) d[(row + group + i / 2 * 8) * columns + column + warp * 8 + member * 2 + i % 2] = sum[i];
}
