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
    float value = (float)fraction * 5.9604644775390625e-8f;
    unsigned word = (exponent + 112) << 23 | fraction << 13;
    if (exponent == 31) word = 0x7f800000 | fraction << 13;
    if (exponent) memcpy(&value, &word, 4);
    return bits & 0x8000 ? -value : value;
}

// Of an instruction of the device and words of the host, those of the side; and what functions of these types are made of.
#ifdef __CUDA_ARCH__
#define __WARPSMITH_EITHER(device, host) device
extern "C" __device__ float __nv_exp10f(float x);
#else
#define __WARPSMITH_EITHER(device, host) host

// To the nearest, 'n', towards zero, 'z', down, 'm', or up, 'p'.
static inline double __warpsmith_host_rounded(double x, char how) {
    return how == 'n' ? __builtin_rint(x) : how == 'z' ? __builtin_trunc(x) : how == 'm' ? __builtin_floor(x) : __builtin_ceil(x);
}
static inline unsigned short __warpsmith_host_to_half(double x, char how) {
    int exponent;
    if (x != x || x - x != 0) return __warpsmith_host_float_to_half((float)x);
    __builtin_frexp(x, &exponent);
    double unit = __builtin_ldexp(1.0, (exponent < -13 ? -13 : exponent) - 11);
    x = __warpsmith_host_rounded(x / unit, how) * unit;
    if (x > 65504) return how == 'n' || how == 'p' ? 0x7c00 : 0x7bff;
    if (x < -65504) return how == 'n' || how == 'm' ? 0xfc00 : 0xfbff;
    return __warpsmith_host_float_to_half((float)x);
}
template <class T> static inline T __warpsmith_host_whole(double x, char how) {
    const T least = (T)-1 < (T)0 ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0, most = (T)~least;
    if (x != x) return sizeof(T) == 8 ? (T)(1ull << 63) : (T)0;
    x = __warpsmith_host_rounded(x, how);
    return x <= (double)least ? least : x >= (double)most ? most : (T)x;
}
template <class T> static inline T __warpsmith_host_integer(unsigned short bits, char how) {
    return __warpsmith_host_whole<T>(__warpsmith_host_half_to_float(bits), how);
}
// The conversion is to the nearest; the neighbour is what was asked for where that is on the other side of the number.
template <class T> static inline float __warpsmith_host_float(T x, char how) {
    float nearest = (float)x;
    long double exact = (long double)x;
    if (nearest > exact && (how == 'm' || (how == 'z' && exact > 0))) return __builtin_nextafterf(nearest, -__builtin_inff());
    if (nearest < exact && (how == 'p' || (how == 'z' && exact < 0))) return __builtin_nextafterf(nearest, __builtin_inff());
    return nearest;
}

// What `cuda_bf16.h` is made of: functions of the device by their names behind `__warpsmith_host`.
template <class T, class U> static inline T __warpsmith_host_bits(U value) {
    T word;
    memcpy(&word, &value, sizeof word);
    return word;
}
static inline int __warpsmith_host__float_as_int(float x) { return __warpsmith_host_bits<int>(x); }
static inline unsigned __warpsmith_host__float_as_uint(float x) { return __warpsmith_host_bits<unsigned>(x); }
static inline float __warpsmith_host__uint_as_float(unsigned x) { return __warpsmith_host_bits<float>(x); }
static inline float __warpsmith_host__saturatef(float x) { return !(x > 0) ? 0 : x > 1 ? 1 : x; }
static inline float __warpsmith_host__double2float_rz(double x) { return __warpsmith_host_float(x, 'z'); }
#define __WARPSMITH_HOST_WHOLE(name, type, suffix, how)                                                                         \
    static inline type __warpsmith_host__float2##name##_##suffix(float x) { return __warpsmith_host_whole<type>(x, how); }      \
    static inline float __warpsmith_host__##name##2float_##suffix(type x) { return __warpsmith_host_float(x, how); }
#define __WARPSMITH_HOST_WHOLES(name, type)        \
    __WARPSMITH_HOST_WHOLE(name, type, rn, 'n')    \
    __WARPSMITH_HOST_WHOLE(name, type, rz, 'z')    \
    __WARPSMITH_HOST_WHOLE(name, type, rd, 'm')    \
    __WARPSMITH_HOST_WHOLE(name, type, ru, 'p')
__WARPSMITH_HOST_WHOLES(int, int)
__WARPSMITH_HOST_WHOLES(uint, unsigned)
__WARPSMITH_HOST_WHOLES(ll, long long)
__WARPSMITH_HOST_WHOLES(ull, unsigned long long)
#undef __WARPSMITH_HOST_WHOLES
#undef __WARPSMITH_HOST_WHOLE

// What an instruction of arithmetic gives: sums and products of halves are exact in double, or too far from the middle of two halves to be rounded twice.
static inline unsigned short __warpsmith_host_half(const char *instruction, unsigned short a, unsigned short b, unsigned short c = 0) {
    double x = __warpsmith_host_half_to_float(a), y = __warpsmith_host_half_to_float(b);
    double result = instruction[0] == 'a' ? x + y : instruction[0] == 's' ? x - y : x * y;
    if (instruction[0] == 'f') result += __warpsmith_host_half_to_float(c);
    if (strstr(instruction, ".sat")) result = !(result > 0) ? 0 : result > 1 ? 1 : result;
    return __warpsmith_host_to_half(result, 'n');
}
static inline unsigned __warpsmith_host_half2(const char *instruction, unsigned a, unsigned b, unsigned c = 0) {
    unsigned low = __warpsmith_host_half(instruction, (unsigned short)a, (unsigned short)b, (unsigned short)c);
    return low | (unsigned)__warpsmith_host_half(instruction, (unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16)) << 16;
}
// Those with `u` at the end hold of NaN.
static inline bool __warpsmith_host_compare(const char *name, unsigned short a, unsigned short b) {
    float x = __warpsmith_host_half_to_float(a), y = __warpsmith_host_half_to_float(b);
    if (x != x || y != y) return name[2] == 'u';
    if (name[0] == 'e') return x == y;
    if (name[0] == 'n') return x != y;
    if (name[0] == 'g') return name[1] == 'e' ? x >= y : x > y;
    return name[1] == 'e' ? x <= y : x < y;
}
static inline unsigned __warpsmith_host_compare2(const char *name, unsigned a, unsigned b) {
    unsigned low = __warpsmith_host_compare(name, (unsigned short)a, (unsigned short)b) ? 0xffff : 0;
    return low | (__warpsmith_host_compare(name, (unsigned short)(a >> 16), (unsigned short)(b >> 16)) ? 0xffff0000u : 0);
}

static inline float __nvvm_sqrt_rn_f(float x) { return __builtin_sqrtf(x); }
static inline float __nvvm_rsqrt_approx_f(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline float __nv_exp10f(float x) { return (float)__builtin_pow(10.0, x); }
#endif
