// 8x8x32 in double precision; the sums are rounded as fused multiply-adds in the order of k.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void multiply(const double *a, const double *b, double *d) {
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::fill_fragment(sum, 0.0);
    for (int k = 0; k < 32; k += 4) {
        wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> right;
        wmma::load_matrix_sync(left, a + k, 32);
        wmma::load_matrix_sync(right, b + k, 32);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}
