// bfloat16: rounded from singles, fused products, maxima.
#include <cuda_bf16.h>
extern "C" __global__ void brain(const float *a, const float *b, unsigned short *out) {
    int t = threadIdx.x;
    __nv_bfloat16 x = __float2bfloat16_rn(a[t]), y = __float2bfloat16_rn(b[t]);
    unsigned short *to = out + 5 * t;
    to[0] = __bfloat16_as_ushort(x);
    to[1] = __bfloat16_as_ushort(__float2bfloat16_rz(a[t]));
    to[2] = __bfloat16_as_ushort(__hfma(x, y, x));
    to[3] = __bfloat16_as_ushort(__hmax(x, y));
    __nv_bfloat162 pair = __floats2bfloat162_rn(a[t], b[t]);
    to[4] = __bfloat16_as_ushort(__high2bfloat16(__hfma2(pair, pair, __halves2bfloat162(y, x))));
}
