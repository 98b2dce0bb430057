// 32x32x32 in tf32 by four warps, of which each has one tile.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void multiply(const float *a, const float *b, float *d) {
    int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(sum, d + row * 32 + column, 32, wmma::mem_row_major);
    for (int k = 0; k < 32; k += 8) {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
        wmma::load_matrix_sync(left, a + row * 32 + k, 32);
        wmma::load_matrix_sync(right, b + k * 32 + column, 32);
        for (int i = 0; i < left.num_elements; i++) left.x[i] = wmma::__float_to_tf32(left.x[i]);
        for (int i = 0; i < right.num_elements; i++) right.x[i] = wmma::__float_to_tf32(right.x[i]);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(d + row * 32 + column, sum, 32, wmma::mem_row_major);
}
