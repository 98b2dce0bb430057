// Half precision: sums, products, fused products, comparisons, minima, packed and single.
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half2 *a, const __half2 *b, __half2 *out, unsigned *compared) {
    int t = threadIdx.x;
    __half2 x = a[t], y = b[t], *to = out + 7 * t;
    to[0] = __hadd2_rn(x, y);
    to[1] = __hmul2_rn(x, y);
    to[2] = __hfma2(x, y, __float2half2_rn(0.5f));
    to[3] = __hmin2(x, y);
    to[4] = __hsub2(x, y);
    to[5] = __halves2half2(__hadd_sat(__low2half(x), __high2half(y)), hsqrt(__habs(__low2half(x))));
    to[6] = __hneg2(__habs2(x));
    compared[t] = __hgt2_mask(x, y) ^ (unsigned)__hle(__low2half(x), __low2half(y));
}
