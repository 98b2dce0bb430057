// 64x64x64 of bytes by four warps, of which each has 16 rows; B by rows, result by columns.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void multiply(const signed char *a, const signed char *b, int *d) {
    __shared__ __align__(32) signed char tile[16 * 64];
    int warp = threadIdx.x / 32;
    for (int column = 0; column < 64; column += 16) {
        wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
        wmma::fill_fragment(sum, 7);
        for (int k = 0; k < 64; k += 16) {
            __syncthreads();
            for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i / 16 * 16 + i % 16] = b[(k + i / 16) * 64 + column + i % 16];
            __syncthreads();
            wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> right;
            wmma::load_matrix_sync(left, a + warp * 16 * 64 + k, 64);
            wmma::load_matrix_sync(right, tile, 16);
            wmma::mma_sync(sum, left, right, sum, true);
        }
        wmma::store_matrix_sync(d + column * 64 + warp * 16, sum, 64, wmma::mem_col_major);
    }
}
