// Conversions of half precision and bfloat16 as the host does them.
#pragma once
#include <string.h>

// To the nearest, of two to the even one.
static inline unsigned short __warpsmith_host_float_to_half(float x) {
    unsigned word;
    memcpy(&word, &x, 4);
    unsigned short sign = (unsigned short)(word >> 16 & 0x8000);
    word &= 0x7fffffff;
    if (word > 0x7f800000) return 0x7fff;
    if (word >= 0x477ff000) return (unsigned short)(sign | 0x7c00);
    if (word < 0x33000000) return sign;
    unsigned exponent = word >> 23, shift = 13, value = word - 0x38000000;
    if (exponent < 113) {
        shift = 126 - exponent;
        value = (word & 0x7fffff) | 0x800000;
    }
    unsigned half = value >> shift, rest = value & ((1u << shift) - 1), middle = 1u << (shift - 1);
    half += rest > middle || (rest == middle && half & 1);
    return (unsigned short)(sign | half);
}
static inline float __warpsmith_host_half_to_float(unsigned short bits) {
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = (float)fraction * 0x1p-24f;
    unsigned word = (exponent + 112) << 23 | fraction << 13;
    if (exponent == 31) word = 0x7f800000 | fraction << 13;
    if (exponent) memcpy(&value, &word, 4);
    return bits & 0x8000 ? -value : value;
}

// What functions of these types are made of, in the words of the host.
#ifdef __CUDA_ARCH__
extern "C" __device__ float __nv_exp10f(float x);
#else
static inline float __nvvm_sqrt_rn_f(float x) { return __builtin_sqrtf(x); }
static inline float __nvvm_rsqrt_approx_f(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline float __nv_exp10f(float x) { return (float)__builtin_pow(10.0, x); }
#endif
