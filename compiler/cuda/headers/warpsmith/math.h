// Mathematical functions. `name` is overloaded for float and double, `namef` is for float; integers count as double [cmath.syn].
#pragma once

// `type` is double for every integer type, so that `sin(1)` is the function for double and not ambiguous.
template <class T> struct __warpsmith_integer {};
template <> struct __warpsmith_integer<bool> { typedef double type; };
template <> struct __warpsmith_integer<char> { typedef double type; };
template <> struct __warpsmith_integer<signed char> { typedef double type; };
template <> struct __warpsmith_integer<unsigned char> { typedef double type; };
template <> struct __warpsmith_integer<short> { typedef double type; };
template <> struct __warpsmith_integer<unsigned short> { typedef double type; };
template <> struct __warpsmith_integer<int> { typedef double type; };
template <> struct __warpsmith_integer<unsigned> { typedef double type; };
template <> struct __warpsmith_integer<long> { typedef double type; };
template <> struct __warpsmith_integer<unsigned long> { typedef double type; };
template <> struct __warpsmith_integer<long long> { typedef double type; };
template <> struct __warpsmith_integer<unsigned long long> { typedef double type; };

// The same for every arithmetic type; of two operands, double unless both are float.
template <class T> struct __warpsmith_number : __warpsmith_integer<T> {};
template <> struct __warpsmith_number<float> { typedef float type; };
template <> struct __warpsmith_number<double> { typedef double type; };
template <> struct __warpsmith_number<long double> { typedef double type; };
template <class A, class B> struct __warpsmith_promoted_of { typedef double type; };
template <> struct __warpsmith_promoted_of<float, float> { typedef float type; };
template <class A, class B> struct __warpsmith_both { typedef void type; };
// Of a class there is no `type`: functions of the program with these names are then the only ones.
template <class A, class B, class = void> struct __warpsmith_promoted {};
template <class A, class B>
struct __warpsmith_promoted<A, B, typename __warpsmith_both<typename __warpsmith_number<A>::type, typename __warpsmith_number<B>::type>::type>
    : __warpsmith_promoted_of<typename __warpsmith_number<A>::type, typename __warpsmith_number<B>::type> {};

// Of the device library, where there is no built-in function.
extern "C" {
__device__ float __nv_exp10f(float x);
__device__ double __nv_exp10(double x);
__device__ float __nv_erfinvf(float x);
__device__ double __nv_erfinv(double x);
__device__ float __nv_erfcinvf(float x);
__device__ double __nv_erfcinv(double x);
__device__ float __nv_erfcxf(float x);
__device__ double __nv_erfcx(double x);
__device__ float __nv_normcdff(float x);
__device__ double __nv_normcdf(double x);
__device__ float __nv_normcdfinvf(float x);
__device__ double __nv_normcdfinv(double x);
__device__ float __nv_rcbrtf(float x);
__device__ double __nv_rcbrt(double x);
__device__ float __nv_sinpif(float x);
__device__ double __nv_sinpi(double x);
__device__ float __nv_cospif(float x);
__device__ double __nv_cospi(double x);
__device__ float __nv_rhypotf(float x, float y);
__device__ double __nv_rhypot(double x, double y);
__device__ void __nv_sincosf(float x, float *sine, float *cosine);
__device__ void __nv_sincospif(float x, float *sine, float *cosine);
__device__ float __nv_norm3df(float a, float b, float c);
__device__ float __nv_norm4df(float a, float b, float c, float d);
__device__ float __nv_rnorm3df(float a, float b, float c);
__device__ float __nv_rnorm4df(float a, float b, float c, float d);
__device__ float __nv_normf(int n, const float *p);
__device__ float __nv_rnormf(int n, const float *p);
__device__ float __nv_remquof(float x, float y, int *quotient);
__device__ void __nv_sincos(double x, double *sine, double *cosine);
__device__ void __nv_sincospi(double x, double *sine, double *cosine);
__device__ double __nv_norm3d(double a, double b, double c);
__device__ double __nv_norm4d(double a, double b, double c, double d);
__device__ double __nv_rnorm3d(double a, double b, double c);
__device__ double __nv_rnorm4d(double a, double b, double c, double d);
__device__ double __nv_norm(int n, const double *p);
__device__ double __nv_rnorm(int n, const double *p);
__device__ double __nv_remquo(double x, double y, int *quotient);
__device__ float __nv_frsqrt_rn(float x);
}

// Fast and less exact functions, made of the instructions that approximate.
__WARPSMITH_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
__WARPSMITH_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
__WARPSMITH_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
__WARPSMITH_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__WARPSMITH_DEVICE void __sincosf(float x, float *sine, float *cosine) {
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
__WARPSMITH_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
__WARPSMITH_DEVICE float __logf(float x) { return __log2f(x) * 0x1.62e43p-1f; }
__WARPSMITH_DEVICE float __log10f(float x) { return __log2f(x) * 0x1.344136p-2f; }
__WARPSMITH_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
__WARPSMITH_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 0x1.a934fp+1f); }
__WARPSMITH_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __log2f(x)); }
__WARPSMITH_DEVICE float fdividef(float x, float y) {
#if __USE_FAST_MATH__
    return __fdividef(x, y);
#else
    return x / y;
#endif
}
__WARPSMITH_DEVICE float __frsqrt_rn(float x) { return __nv_frsqrt_rn(x); }
__WARPSMITH_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
__WARPSMITH_DEVICE float __tanhf(float x) { return __nvvm_tanh_approx_f(x); }

// One function with its overloads: for float, double and integers.
#define __WARPSMITH_UNARY(name, single, function)                                  \
    __WARPSMITH_BOTH float name##f(float x) { return single(x); }                  \
    __WARPSMITH_BOTH float name(float x) { return single(x); }                     \
    __WARPSMITH_BOTH double name(double x) { return function(x); }                 \
    template <class T> __WARPSMITH_BOTH typename __warpsmith_integer<T>::type name(T x) { return function((double)x); }

#define __WARPSMITH_BINARY(name, single, function)                                       \
    __WARPSMITH_BOTH float name##f(float x, float y) { return single(x, y); }            \
    __WARPSMITH_BOTH float name(float x, float y) { return single(x, y); }               \
    __WARPSMITH_BOTH double name(double x, double y) { return function(x, y); }          \
    template <class A, class B> __WARPSMITH_BOTH typename __warpsmith_promoted<A, B>::type name(A x, B y) { \
        return function((double)x, (double)y);                                           \
    }

__WARPSMITH_UNARY(sin, __builtin_sinf, __builtin_sin)
__WARPSMITH_UNARY(cos, __builtin_cosf, __builtin_cos)
__WARPSMITH_UNARY(tan, __builtin_tanf, __builtin_tan)
__WARPSMITH_UNARY(log, __builtin_logf, __builtin_log)
__WARPSMITH_UNARY(log2, __builtin_log2f, __builtin_log2)
__WARPSMITH_UNARY(log10, __builtin_log10f, __builtin_log10)
__WARPSMITH_UNARY(exp, __builtin_expf, __builtin_exp)
__WARPSMITH_UNARY(exp10, __nv_exp10f, __nv_exp10)
__WARPSMITH_BINARY(pow, __builtin_powf, __builtin_pow)

__WARPSMITH_UNARY(acos, __builtin_acosf, __builtin_acos)
__WARPSMITH_UNARY(acosh, __builtin_acoshf, __builtin_acosh)
__WARPSMITH_UNARY(asin, __builtin_asinf, __builtin_asin)
__WARPSMITH_UNARY(asinh, __builtin_asinhf, __builtin_asinh)
__WARPSMITH_UNARY(atan, __builtin_atanf, __builtin_atan)
__WARPSMITH_UNARY(atanh, __builtin_atanhf, __builtin_atanh)
__WARPSMITH_UNARY(cbrt, __builtin_cbrtf, __builtin_cbrt)
__WARPSMITH_UNARY(cosh, __builtin_coshf, __builtin_cosh)
__WARPSMITH_UNARY(erf, __builtin_erff, __builtin_erf)
__WARPSMITH_UNARY(erfc, __builtin_erfcf, __builtin_erfc)
__WARPSMITH_UNARY(exp2, __builtin_exp2f, __builtin_exp2)
__WARPSMITH_UNARY(expm1, __builtin_expm1f, __builtin_expm1)
__WARPSMITH_UNARY(lgamma, __builtin_lgammaf, __builtin_lgamma)
__WARPSMITH_UNARY(log1p, __builtin_log1pf, __builtin_log1p)
__WARPSMITH_UNARY(logb, __builtin_logbf, __builtin_logb)
__WARPSMITH_UNARY(sinh, __builtin_sinhf, __builtin_sinh)
__WARPSMITH_UNARY(tanh, __builtin_tanhf, __builtin_tanh)
__WARPSMITH_UNARY(tgamma, __builtin_tgammaf, __builtin_tgamma)
__WARPSMITH_UNARY(sqrt, __nvvm_sqrt_f, __nvvm_sqrt_rn_d)
__WARPSMITH_UNARY(floor, __builtin_floorf, __builtin_floor)
__WARPSMITH_UNARY(ceil, __builtin_ceilf, __builtin_ceil)
__WARPSMITH_UNARY(trunc, __builtin_truncf, __builtin_trunc)
__WARPSMITH_UNARY(rint, __builtin_rintf, __builtin_rint)
__WARPSMITH_UNARY(nearbyint, __builtin_nearbyintf, __builtin_nearbyint)
__WARPSMITH_UNARY(round, __builtin_roundf, __builtin_round)
__WARPSMITH_UNARY(fabs, __builtin_fabsf, __builtin_fabs)
__WARPSMITH_UNARY(erfinv, __nv_erfinvf, __nv_erfinv)
__WARPSMITH_UNARY(erfcinv, __nv_erfcinvf, __nv_erfcinv)
__WARPSMITH_UNARY(erfcx, __nv_erfcxf, __nv_erfcx)
__WARPSMITH_UNARY(normcdf, __nv_normcdff, __nv_normcdf)
__WARPSMITH_UNARY(normcdfinv, __nv_normcdfinvf, __nv_normcdfinv)
__WARPSMITH_UNARY(rsqrt, __nvvm_rsqrt_approx_f, __nvvm_rsqrt_approx_d)
__WARPSMITH_UNARY(rcbrt, __nv_rcbrtf, __nv_rcbrt)
__WARPSMITH_UNARY(sinpi, __nv_sinpif, __nv_sinpi)
__WARPSMITH_UNARY(cospi, __nv_cospif, __nv_cospi)
__WARPSMITH_BINARY(atan2, __builtin_atan2f, __builtin_atan2)
__WARPSMITH_BINARY(fdim, __builtin_fdimf, __builtin_fdim)
__WARPSMITH_BINARY(fmod, __builtin_fmodf, __builtin_fmod)
__WARPSMITH_BINARY(hypot, __builtin_hypotf, __builtin_hypot)
__WARPSMITH_BINARY(nextafter, __builtin_nextafterf, __builtin_nextafter)
__WARPSMITH_BINARY(remainder, __builtin_remainderf, __builtin_remainder)
__WARPSMITH_BINARY(copysign, __builtin_copysignf, __builtin_copysign)
__WARPSMITH_BINARY(fmin, __builtin_fminf, __builtin_fmin)
__WARPSMITH_BINARY(fmax, __builtin_fmaxf, __builtin_fmax)
__WARPSMITH_BINARY(rhypot, __nv_rhypotf, __nv_rhypot)

#undef __WARPSMITH_UNARY
#undef __WARPSMITH_BINARY

__WARPSMITH_BOTH float abs(float x) { return __builtin_fabsf(x); }
__WARPSMITH_BOTH double abs(double x) { return __builtin_fabs(x); }
__WARPSMITH_BOTH float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WARPSMITH_BOTH float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WARPSMITH_BOTH double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

__WARPSMITH_BOTH int ilogbf(float x) { return __builtin_ilogbf(x); }
__WARPSMITH_BOTH float ldexpf(float x, int n) { return __builtin_ldexpf(x, n); }
__WARPSMITH_BOTH float scalbnf(float x, int n) { return __builtin_scalbnf(x, n); }
__WARPSMITH_BOTH float scalblnf(float x, long n) { return __builtin_scalbnf(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }
__WARPSMITH_BOTH float frexpf(float x, int *exponent) { return __builtin_frexpf(x, exponent); }
__WARPSMITH_BOTH float modff(float x, float *whole) { return __builtin_modff(x, whole); }
__WARPSMITH_BOTH long lrintf(float x) { return __builtin_lrintf(x); }
__WARPSMITH_BOTH long long llrintf(float x) { return __builtin_llrintf(x); }
__WARPSMITH_BOTH long lroundf(float x) { return __builtin_lroundf(x); }
__WARPSMITH_BOTH long long llroundf(float x) { return __builtin_llroundf(x); }
__WARPSMITH_BOTH float remquof(float x, float y, int *quotient) { return __nv_remquof(x, y, quotient); }
__WARPSMITH_BOTH int ilogb(float x) { return __builtin_ilogbf(x); }
__WARPSMITH_BOTH float ldexp(float x, int n) { return __builtin_ldexpf(x, n); }
__WARPSMITH_BOTH float scalbn(float x, int n) { return __builtin_scalbnf(x, n); }
__WARPSMITH_BOTH float scalbln(float x, long n) { return __builtin_scalbnf(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }
__WARPSMITH_BOTH float frexp(float x, int *exponent) { return __builtin_frexpf(x, exponent); }
__WARPSMITH_BOTH float modf(float x, float *whole) { return __builtin_modff(x, whole); }
__WARPSMITH_BOTH long lrint(float x) { return __builtin_lrintf(x); }
__WARPSMITH_BOTH long long llrint(float x) { return __builtin_llrintf(x); }
__WARPSMITH_BOTH long lround(float x) { return __builtin_lroundf(x); }
__WARPSMITH_BOTH long long llround(float x) { return __builtin_llroundf(x); }
__WARPSMITH_BOTH float remquo(float x, float y, int *quotient) { return __nv_remquof(x, y, quotient); }
__WARPSMITH_DEVICE void sincosf(float x, float *sine, float *cosine) { __nv_sincosf(x, sine, cosine); }
__WARPSMITH_DEVICE void sincospif(float x, float *sine, float *cosine) { __nv_sincospif(x, sine, cosine); }
__WARPSMITH_DEVICE float norm3df(float a, float b, float c) { return __nv_norm3df(a, b, c); }
__WARPSMITH_DEVICE float norm4df(float a, float b, float c, float d) { return __nv_norm4df(a, b, c, d); }
__WARPSMITH_DEVICE float rnorm3df(float a, float b, float c) { return __nv_rnorm3df(a, b, c); }
__WARPSMITH_DEVICE float rnorm4df(float a, float b, float c, float d) { return __nv_rnorm4df(a, b, c, d); }
__WARPSMITH_DEVICE float normf(int n, const float *p) { return __nv_normf(n, p); }
__WARPSMITH_DEVICE float rnormf(int n, const float *p) { return __nv_rnormf(n, p); }
__WARPSMITH_DEVICE float nanf(const char *payload) { return __builtin_nanf(""); }
__WARPSMITH_BOTH int ilogb(double x) { return __builtin_ilogb(x); }
__WARPSMITH_BOTH double ldexp(double x, int n) { return __builtin_ldexp(x, n); }
__WARPSMITH_BOTH double scalbn(double x, int n) { return __builtin_scalbn(x, n); }
__WARPSMITH_BOTH double scalbln(double x, long n) { return __builtin_scalbn(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }
__WARPSMITH_BOTH double frexp(double x, int *exponent) { return __builtin_frexp(x, exponent); }
__WARPSMITH_BOTH double modf(double x, double *whole) { return __builtin_modf(x, whole); }
__WARPSMITH_BOTH long lrint(double x) { return __builtin_lrint(x); }
__WARPSMITH_BOTH long long llrint(double x) { return __builtin_llrint(x); }
__WARPSMITH_BOTH long lround(double x) { return __builtin_lround(x); }
__WARPSMITH_BOTH long long llround(double x) { return __builtin_llround(x); }
__WARPSMITH_BOTH double remquo(double x, double y, int *quotient) { return __nv_remquo(x, y, quotient); }
__WARPSMITH_DEVICE void sincos(double x, double *sine, double *cosine) { __nv_sincos(x, sine, cosine); }
__WARPSMITH_DEVICE void sincospi(double x, double *sine, double *cosine) { __nv_sincospi(x, sine, cosine); }
__WARPSMITH_DEVICE double norm3d(double a, double b, double c) { return __nv_norm3d(a, b, c); }
__WARPSMITH_DEVICE double norm4d(double a, double b, double c, double d) { return __nv_norm4d(a, b, c, d); }
__WARPSMITH_DEVICE double rnorm3d(double a, double b, double c) { return __nv_rnorm3d(a, b, c); }
__WARPSMITH_DEVICE double rnorm4d(double a, double b, double c, double d) { return __nv_rnorm4d(a, b, c, d); }
__WARPSMITH_DEVICE double norm(int n, const double *p) { return __nv_norm(n, p); }
__WARPSMITH_DEVICE double rnorm(int n, const double *p) { return __nv_rnorm(n, p); }
__WARPSMITH_DEVICE double nan(const char *payload) { return __builtin_nan(""); }
__WARPSMITH_DEVICE void sincos(float x, float *sine, float *cosine) { __nv_sincosf(x, sine, cosine); }
__WARPSMITH_DEVICE void sincospi(float x, float *sine, float *cosine) { __nv_sincospif(x, sine, cosine); }
template <class T> __WARPSMITH_BOTH typename __warpsmith_integer<T>::type ldexp(T x, int n) { return __builtin_ldexp((double)x, n); }

// Classes of numbers.
#define __WARPSMITH_CLASSES(type)                                                       \
    __WARPSMITH_BOTH bool isnan(type x) { return x != x; }                              \
    __WARPSMITH_BOTH bool isinf(type x) { return __builtin_isinf(x); }                  \
    __WARPSMITH_BOTH bool isfinite(type x) { return __builtin_isfinite(x); }            \
    __WARPSMITH_BOTH bool isnormal(type x) { return __builtin_isnormal(x); }            \
    __WARPSMITH_BOTH bool signbit(type x) { return __builtin_signbit(x); }              \
    __WARPSMITH_BOTH int fpclassify(type x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
__WARPSMITH_CLASSES(float)
__WARPSMITH_CLASSES(double)
#undef __WARPSMITH_CLASSES
__WARPSMITH_BOTH int __isnanf(float x) { return x != x; }
__WARPSMITH_BOTH int __isnan(double x) { return x != x; }
__WARPSMITH_BOTH int __isinff(float x) { return __builtin_isinf(x); }
__WARPSMITH_BOTH int __isinf(double x) { return __builtin_isinf(x); }
__WARPSMITH_BOTH int __finitef(float x) { return __builtin_isfinite(x); }
__WARPSMITH_BOTH int __finite(double x) { return __builtin_isfinite(x); }
__WARPSMITH_BOTH int __signbitf(float x) { return __builtin_signbit(x); }
__WARPSMITH_BOTH int __signbit(double x) { return __builtin_signbit(x); }

// Bessel functions.
#define __WARPSMITH_BESSEL(name)                                                        \
    extern "C" __device__ float __nv_##name##f(float x);                                \
    extern "C" __device__ double __nv_##name(double x);                                 \
    __WARPSMITH_DEVICE float name##f(float x) { return __nv_##name##f(x); }             \
    __WARPSMITH_DEVICE double name(double x) { return __nv_##name(x); }
__WARPSMITH_BESSEL(j0)
__WARPSMITH_BESSEL(j1)
__WARPSMITH_BESSEL(y0)
__WARPSMITH_BESSEL(y1)
__WARPSMITH_BESSEL(cyl_bessel_i0)
__WARPSMITH_BESSEL(cyl_bessel_i1)
#undef __WARPSMITH_BESSEL
#define __WARPSMITH_BESSEL_OF_ORDER(name)                                               \
    extern "C" __device__ float __nv_##name##f(int n, float x);                         \
    extern "C" __device__ double __nv_##name(int n, double x);                          \
    __WARPSMITH_DEVICE float name##f(int n, float x) { return __nv_##name##f(n, x); }   \
    __WARPSMITH_DEVICE double name(int n, double x) { return __nv_##name(n, x); }
__WARPSMITH_BESSEL_OF_ORDER(jn)
__WARPSMITH_BESSEL_OF_ORDER(yn)
#undef __WARPSMITH_BESSEL_OF_ORDER
