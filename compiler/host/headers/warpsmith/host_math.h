// Mathematical functions that only CUDA has. Those of both sides have the host's meaning in standard C++; the others are the device library's.
#pragma once
#include <warpsmith/attributes.h>

extern "C" {
__device__ double rcbrt(double x);
__device__ float rcbrtf(float x);
__device__ double sinpi(double x);
__device__ float sinpif(float x);
__device__ double cospi(double x);
__device__ float cospif(float x);
__device__ double erfinv(double x);
__device__ float erfinvf(float x);
__device__ double erfcinv(double x);
__device__ float erfcinvf(float x);
__device__ double erfcx(double x);
__device__ float erfcxf(float x);
__device__ double normcdf(double x);
__device__ float normcdff(float x);
__device__ double normcdfinv(double x);
__device__ float normcdfinvf(float x);
__device__ double cyl_bessel_i0(double x);
__device__ float cyl_bessel_i0f(float x);
__device__ double cyl_bessel_i1(double x);
__device__ float cyl_bessel_i1f(float x);
__device__ double rhypot(double x, double y);
__device__ double norm3d(double a, double b, double c);
__device__ double norm4d(double a, double b, double c, double d);
__device__ double rnorm3d(double a, double b, double c);
__device__ double rnorm4d(double a, double b, double c, double d);
__device__ double norm(int n, const double *p);
__device__ double rnorm(int n, const double *p);
__device__ void sincospi(double x, double *sine, double *cosine);
__device__ float rhypotf(float x, float y);
__device__ float norm3df(float a, float b, float c);
__device__ float norm4df(float a, float b, float c, float d);
__device__ float rnorm3df(float a, float b, float c);
__device__ float rnorm4df(float a, float b, float c, float d);
__device__ float normf(int n, const float *p);
__device__ float rnormf(int n, const float *p);
__device__ void sincospif(float x, float *sine, float *cosine);
__device__ float __cosf(float x);
__device__ float __exp10f(float x);
__device__ float __expf(float x);
__device__ float __log10f(float x);
__device__ float __log2f(float x);
__device__ float __logf(float x);
__device__ float __sinf(float x);
__device__ float __tanf(float x);
__device__ float __saturatef(float x);
__device__ float __fdividef(float x, float y);
__device__ float fdividef(float x, float y);
__device__ float __powf(float x, float y);
__device__ void __sincosf(float x, float *sine, float *cosine);
__device__ double __nv_rsqrt(double x);
__device__ float __nv_rsqrtf(float x);
__device__ float __nv_frsqrt_rn(float x);
}
__WARPSMITH_DEVICE float __frsqrt_rn(float x) { return __nv_frsqrt_rn(x); }
__WARPSMITH_BOTH float rsqrtf(float x) {
#ifdef __CUDA_ARCH__
    return __nv_rsqrtf(x);
#else
    return 1.0f / sqrtf(x);
#endif
}
__WARPSMITH_BOTH double rsqrt(double x) {
#ifdef __CUDA_ARCH__
    return __nv_rsqrt(x);
#else
    return 1.0 / sqrt(x);
#endif
}
__WARPSMITH_BOTH float rsqrt(float x) { return rsqrtf(x); }
__WARPSMITH_DEVICE float rcbrt(float x) { return rcbrtf(x); }
__WARPSMITH_DEVICE float sinpi(float x) { return sinpif(x); }
__WARPSMITH_DEVICE float cospi(float x) { return cospif(x); }
__WARPSMITH_DEVICE float normcdf(float x) { return normcdff(x); }
__WARPSMITH_DEVICE float normcdfinv(float x) { return normcdfinvf(x); }
__WARPSMITH_DEVICE float erfinv(float x) { return erfinvf(x); }
__WARPSMITH_DEVICE void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
