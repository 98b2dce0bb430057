// Tall and wide fragments of bf16: 8x32 and 32x8 results of depth 16, and their elements doubled in registers.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
template <int M, int N> __device__ void product(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *d) {
    wmma::fragment<wmma::matrix_a, M, N, 16, __nv_bfloat16, wmma::col_major> left;
    wmma::fragment<wmma::matrix_b, M, N, 16, __nv_bfloat16, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, M, N, 16, float> sum;
    wmma::fill_fragment(sum, 0.5f);
    wmma::load_matrix_sync(left, a, M);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2;
    wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}
extern "C" __global__ void multiply(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *wide, float *tall) {
    product<8, 32>(a, b, wide);
    product<32, 8>(a, b, tall);
}
