// Distances of 8 and 8 strings of 256 bits: the ones of their differences, by fragments of bits; and their common ones.
#include <mma.h>
using namespace nvcuda;
using namespace nvcuda::wmma::experimental;
extern "C" __global__ void distances(const unsigned *a, const unsigned *b, int *different, int *common) {
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> x, y;
    wmma::fill_fragment(x, 0);
    wmma::fill_fragment(y, 0);
    for (int k = 0; k < 256; k += 128) {
        wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> right;
        wmma::load_matrix_sync(left, a + k / 32, 256);
        wmma::load_matrix_sync(right, b + k / 32, 256);
        wmma::bmma_sync(x, left, right, x, bmmaBitOpXOR);
        wmma::bmma_sync(y, left, right, y, bmmaBitOpAND);
    }
    wmma::store_matrix_sync(different, x, 8, wmma::mem_row_major);
    wmma::store_matrix_sync(common, y, 8, wmma::mem_row_major);
}
