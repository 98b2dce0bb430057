// A product of matrices of doubles of several tiles by mma.sync. Two stages are copied in turn by cp.async.
// A of rows of so many doubles, B of columns of so many; a CTA has 8 rows and 32 columns of D, each of its four warps 8 of the columns.
extern "C" __global__ void product(const double *a, const double *b, double *d, int depth, int columns) {
    __shared__ __align__(16) double left[2][8][10], right[2][32][10];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, member = lane % 4;
    int row = blockIdx.y * 8, column = blockIdx.x * 32;
    auto copy = [](double *to, const double *from) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
    };
    auto load = [&](int round) {
        int line = threadIdx.x / 4, part = threadIdx.x % 4 * 2, at = round * 8 + part;
        if (line < 8) copy(&left[round % 2][line][part], a + (row + line) * depth + at);
        copy(&right[round % 2][line][part], b + (column + line) * depth + at);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    double sum[2] = {};
    int rounds = depth / 8;
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
            double x = left[round % 2][group][step * 4 + member], y = right[round % 2][warp * 8 + group][step * 4 + member];
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(sum[0]), "+d"(sum[1]) : "d"(x), "d"(y));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++) d[(row + group) * columns + column + warp * 8 + member * 2 + i] = sum[i];
}
