// Conversions between integers and floats with every rounding and saturation.
#include <cuda_fp16.h>
extern "C" __global__ void convert(const double *in, long long *out) {
    double d = in[threadIdx.x];
    float f = (float)d;
    long long *to = out + 18 * threadIdx.x;
    to[0] = __double2int_rn(d);
    to[1] = __double2int_rz(d);
    to[2] = __double2int_ru(d);
    to[3] = __double2int_rd(d);
    to[4] = __double2uint_rz(d);
    to[5] = __double2ll_rn(d);
    to[6] = (long long)__double2ull_rz(d);
    to[7] = __float2int_rn(f);
    to[8] = __float2uint_ru(f);
    to[9] = __float_as_uint(__double2float_rn(d));
    to[10] = __float_as_uint(__double2float_ru(d));
    to[11] = __half_as_ushort(__float2half_rn(f));
    to[12] = __double_as_longlong((double)__float2half_rn(f));
    unsigned short h;
    asm("cvt.rni.sat.s8.f32 %0, %1;" : "=h"(h) : "f"(f));
    to[13] = (signed char)h;
    asm("cvt.rzi.sat.u8.f32 %0, %1;" : "=h"(h) : "f"(f));
    to[14] = h & 255;
    to[15] = __float_as_uint(__ll2float_rz(to[5]));
    to[16] = __float_as_uint(rintf(f));
    to[17] = __double_as_longlong(trunc(d));
}
