// Eight-bit floating point, e4m3 and e5m2, and powers of two as scaling factors, e8m0: types and conversions.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// Rounded to nearest even on the bits of a double, which holds every float, half and bfloat16 exactly.
__WARPSMITH_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    unsigned sign = (unsigned)(bits >> 56) & 0x80u;
    unsigned long long magnitude = bits & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) {
        // Of a NaN the first bits stay, where there are several.
        return (__nv_fp8_storage_t)(sign | (kind == __NV_E4M3 ? 0x7fu : 0x7eu | ((unsigned)(bits >> 50) & 1u)));
    }
    int fraction = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    unsigned largest = kind == __NV_E4M3 ? 0x7eu : 0x7bu, beyond = kind == __NV_E4M3 ? 0x7fu : 0x7cu;
    int exponent = (int)(magnitude >> 52) - 1023;
    unsigned result = 0;
    if (exponent >= -bias - fraction) {
        // The significand with its leading bit; subnormal results have fewer bits of it.
        unsigned long long significand = (magnitude & 0xfffffffffffffull) | 0x10000000000000ull;
        int least = 1 - bias;
        int drop = 52 - fraction + (exponent < least ? least - exponent : 0);
        unsigned long long kept = significand >> drop, half = 1ull << (drop - 1), rest = significand & ((1ull << drop) - 1);
        kept += rest > half || (rest == half && (kept & 1));
        // A carry out of the fraction raises the exponent by itself.
        result = exponent < least ? (unsigned)kept : (unsigned)(((exponent + bias - 1) << fraction) + (int)kept);
    }
    if (exponent > 15 || result > largest) result = saturate == __NV_SATFINITE ? largest : beyond;
    return (__nv_fp8_storage_t)(sign | result);
}
__WARPSMITH_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    unsigned low = __nv_cvt_double_to_fp8(x.x, saturate, kind), high = __nv_cvt_double_to_fp8(x.y, saturate, kind);
    return (__nv_fp8x2_storage_t)(low | high << 8);
}
__WARPSMITH_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
#if __CUDA_ARCH__ >= 890
    if (saturate == __NV_SATFINITE) {
        unsigned short bits;
        if (kind == __NV_E4M3) asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(bits) : "f"(x.x), "f"(x.y));
        else asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(bits) : "f"(x.x), "f"(x.y));
        return bits;
    }
#endif
    unsigned low = x.x != x.x ? 0x7fu : __nv_cvt_double_to_fp8(x.x, saturate, kind);
    unsigned high = x.y != x.y ? 0x7fu : __nv_cvt_double_to_fp8(x.y, saturate, kind);
    return (__nv_fp8x2_storage_t)(low | high << 8);
}
__WARPSMITH_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return (__nv_fp8_storage_t)__nv_cvt_float2_to_fp8x2(float2{x, 0.0f}, saturate, kind);
}
__WARPSMITH_DEVICE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}
__WARPSMITH_DEVICE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, kind);
}
__WARPSMITH_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
__WARPSMITH_DEVICE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, kind);
}

// Every eight-bit number is a half exactly.
__WARPSMITH_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
#if __CUDA_ARCH__ >= 890
    unsigned word;
    if (kind == __NV_E4M3) asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(word) : "h"(x));
    else asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(word) : "h"(x));
    return __half2_raw{(unsigned short)word, (unsigned short)(word >> 16)};
#else
    unsigned short half[2];
    for (int i = 0; i < 2; ++i) {
        unsigned byte = (unsigned)x >> (8 * i) & 0xffu;
        if (kind == __NV_E5M2) {
            half[i] = (unsigned short)((byte & 0x7fu) > 0x7cu ? 0x7fffu : byte << 8);
        } else if ((byte & 0x7fu) == 0x7fu) {
            half[i] = 0x7fff;
        } else {
            // The fields of e4m3 in those of a half, whose exponents are less by eight.
            __half shifted = __ushort_as_half((unsigned short)((byte & 0x80u) << 8 | (byte & 0x7fu) << 7));
            half[i] = __half_as_ushort(__hmul(shifted, __ushort_as_half(0x5c00)));
        }
    }
    return __half2_raw{half[0], half[1]};
#endif
}
__WARPSMITH_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __half_raw{__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)x, kind).x};
}

struct __nv_fp8_e4m3 {
    __nv_fp8_storage_t __x;

    __nv_fp8_e4m3() = default;
    __device__ explicit __nv_fp8_e4m3(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit __nv_fp8_e4m3(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit __nv_fp8_e4m3(const __half x) : __x(__nv_cvt_halfraw_to_fp8(__half_raw(x), __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit __nv_fp8_e4m3(const __nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw(x), __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit __nv_fp8_e4m3(short x) : __nv_fp8_e4m3((float)x) {}
    __device__ explicit __nv_fp8_e4m3(unsigned short x) : __nv_fp8_e4m3((float)x) {}
    __device__ explicit __nv_fp8_e4m3(int x) : __nv_fp8_e4m3((double)x) {}
    __device__ explicit __nv_fp8_e4m3(unsigned x) : __nv_fp8_e4m3((double)x) {}
    // Integers of 64 bits that a float does not hold are past the largest number.
    __device__ explicit __nv_fp8_e4m3(long x) : __nv_fp8_e4m3((float)x) {}
    __device__ explicit __nv_fp8_e4m3(unsigned long x) : __nv_fp8_e4m3((float)x) {}
    __device__ explicit __nv_fp8_e4m3(long long x) : __nv_fp8_e4m3((float)x) {}
    __device__ explicit __nv_fp8_e4m3(unsigned long long x) : __nv_fp8_e4m3((float)x) {}
    __device__ explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, __NV_E4M3)); }
    __device__ explicit operator float() const { return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, __NV_E4M3))); }
    __device__ explicit operator double() const { return (double)(float)*this; }
    __device__ explicit operator __nv_bfloat16() const { return __float2bfloat16_rz((float)*this); }
    __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }
    __device__ explicit operator short() const { return __half2short_rz((__half)*this); }
    __device__ explicit operator unsigned short() const { return __half2ushort_rz((__half)*this); }
    __device__ explicit operator int() const { return __half2int_rz((__half)*this); }
    __device__ explicit operator unsigned() const { return __half2uint_rz((__half)*this); }
    __device__ explicit operator long long() const { return __half2ll_rz((__half)*this); }
    __device__ explicit operator unsigned long long() const { return __half2ull_rz((__half)*this); }
    __device__ explicit operator char() const { return (char)__half2char_rz((__half)*this); }
    __device__ explicit operator signed char() const { return __half2char_rz((__half)*this); }
    __device__ explicit operator unsigned char() const { return __half2uchar_rz((__half)*this); }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e4m3 {
    __nv_fp8x2_storage_t __x;

    __nv_fp8x2_e4m3() = default;
    __device__ explicit __nv_fp8x2_e4m3(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit __nv_fp8x2_e4m3(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit __nv_fp8x2_e4m3(const __half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(__half2_raw(x), __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit __nv_fp8x2_e4m3(const __nv_bfloat162 x) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw(x), __NV_SATFINITE, __NV_E4M3)) {}
    __device__ explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E4M3)); }
    __device__ explicit operator float2() const { return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E4M3))); }
};
struct __attribute__((aligned(4))) __nv_fp8x4_e4m3 {
    __nv_fp8x4_storage_t __x;

    __nv_fp8x4_e4m3() = default;
    __device__ explicit __nv_fp8x4_e4m3(float4 x)
        : __x((unsigned)__nv_cvt_float2_to_fp8x2(float2{x.x, x.y}, __NV_SATFINITE, __NV_E4M3) |
              (unsigned)__nv_cvt_float2_to_fp8x2(float2{x.z, x.w}, __NV_SATFINITE, __NV_E4M3) << 16) {}
    __device__ explicit __nv_fp8x4_e4m3(const __half2 low, const __half2 high)
        : __x((unsigned)__nv_cvt_halfraw2_to_fp8x2(__half2_raw(low), __NV_SATFINITE, __NV_E4M3) |
              (unsigned)__nv_cvt_halfraw2_to_fp8x2(__half2_raw(high), __NV_SATFINITE, __NV_E4M3) << 16) {}
    __device__ explicit operator float4() const {
        float2 low = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, __NV_E4M3)));
        float2 high = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), __NV_E4M3)));
        return float4{low.x, low.y, high.x, high.y};
    }
};

struct __nv_fp8_e5m2 {
    __nv_fp8_storage_t __x;

    __nv_fp8_e5m2() = default;
    __device__ explicit __nv_fp8_e5m2(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit __nv_fp8_e5m2(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit __nv_fp8_e5m2(const __half x) : __x(__nv_cvt_halfraw_to_fp8(__half_raw(x), __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit __nv_fp8_e5m2(const __nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw(x), __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit __nv_fp8_e5m2(short x) : __nv_fp8_e5m2((float)x) {}
    __device__ explicit __nv_fp8_e5m2(unsigned short x) : __nv_fp8_e5m2((float)x) {}
    __device__ explicit __nv_fp8_e5m2(int x) : __nv_fp8_e5m2((double)x) {}
    __device__ explicit __nv_fp8_e5m2(unsigned x) : __nv_fp8_e5m2((double)x) {}
    // Integers of 64 bits that a float does not hold are past the largest number.
    __device__ explicit __nv_fp8_e5m2(long x) : __nv_fp8_e5m2((float)x) {}
    __device__ explicit __nv_fp8_e5m2(unsigned long x) : __nv_fp8_e5m2((float)x) {}
    __device__ explicit __nv_fp8_e5m2(long long x) : __nv_fp8_e5m2((float)x) {}
    __device__ explicit __nv_fp8_e5m2(unsigned long long x) : __nv_fp8_e5m2((float)x) {}
    __device__ explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, __NV_E5M2)); }
    __device__ explicit operator float() const { return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, __NV_E5M2))); }
    __device__ explicit operator double() const { return (double)(float)*this; }
    __device__ explicit operator __nv_bfloat16() const { return __float2bfloat16_rz((float)*this); }
    __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }
    __device__ explicit operator short() const { return __half2short_rz((__half)*this); }
    __device__ explicit operator unsigned short() const { return __half2ushort_rz((__half)*this); }
    __device__ explicit operator int() const { return __half2int_rz((__half)*this); }
    __device__ explicit operator unsigned() const { return __half2uint_rz((__half)*this); }
    __device__ explicit operator long long() const { return __half2ll_rz((__half)*this); }
    __device__ explicit operator unsigned long long() const { return __half2ull_rz((__half)*this); }
    __device__ explicit operator char() const { return (char)__half2char_rz((__half)*this); }
    __device__ explicit operator signed char() const { return __half2char_rz((__half)*this); }
    __device__ explicit operator unsigned char() const { return __half2uchar_rz((__half)*this); }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e5m2 {
    __nv_fp8x2_storage_t __x;

    __nv_fp8x2_e5m2() = default;
    __device__ explicit __nv_fp8x2_e5m2(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit __nv_fp8x2_e5m2(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit __nv_fp8x2_e5m2(const __half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(__half2_raw(x), __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit __nv_fp8x2_e5m2(const __nv_bfloat162 x) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw(x), __NV_SATFINITE, __NV_E5M2)) {}
    __device__ explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E5M2)); }
    __device__ explicit operator float2() const { return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E5M2))); }
};
struct __attribute__((aligned(4))) __nv_fp8x4_e5m2 {
    __nv_fp8x4_storage_t __x;

    __nv_fp8x4_e5m2() = default;
    __device__ explicit __nv_fp8x4_e5m2(float4 x)
        : __x((unsigned)__nv_cvt_float2_to_fp8x2(float2{x.x, x.y}, __NV_SATFINITE, __NV_E5M2) |
              (unsigned)__nv_cvt_float2_to_fp8x2(float2{x.z, x.w}, __NV_SATFINITE, __NV_E5M2) << 16) {}
    __device__ explicit __nv_fp8x4_e5m2(const __half2 low, const __half2 high)
        : __x((unsigned)__nv_cvt_halfraw2_to_fp8x2(__half2_raw(low), __NV_SATFINITE, __NV_E5M2) |
              (unsigned)__nv_cvt_halfraw2_to_fp8x2(__half2_raw(high), __NV_SATFINITE, __NV_E5M2) << 16) {}
    __device__ explicit operator float4() const {
        float2 low = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, __NV_E5M2)));
        float2 high = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), __NV_E5M2)));
        return float4{low.x, low.y, high.x, high.y};
    }
};

// A scaling factor is 2 to the power of its bits less 127; 255 is not a number. There is no sign and no zero: the magnitude is rounded to a
// power of two, up for cudaRoundPosInf and down for cudaRoundZero, and what is below the least power is the least.
__WARPSMITH_BOTH __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    unsigned long long magnitude = __builtin_bit_cast(unsigned long long, x) & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) return 0xff;
    bool up = rounding == cudaRoundPosInf && (magnitude & 0xfffffffffffffull) != 0;
    int exponent = (int)(magnitude >> 52) - 1023 + 127 + up;
    if (exponent < 0) return 0;
    // What is finite is rounded down to a finite float, and so to the largest power.
    bool down = rounding == cudaRoundZero && magnitude < 0x7ff0000000000000ull;
    if (exponent > 0xfe) return saturate == __NV_SATFINITE || down ? 0xfe : 0xff;
    return (__nv_fp8_storage_t)exponent;
}
__WARPSMITH_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    unsigned low = __nv_cvt_double_to_e8m0(x.x, saturate, rounding), high = __nv_cvt_double_to_e8m0(x.y, saturate, rounding);
    return (__nv_fp8x2_storage_t)(low | high << 8);
}
__WARPSMITH_BOTH __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    unsigned magnitude = __builtin_bit_cast(unsigned, x) & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0xff;
    // Of the numbers below the least that is normal, those above half of it are above the least power.
    unsigned exponent = magnitude >> 23;
    bool up = rounding == cudaRoundPosInf && (exponent == 0 ? magnitude > 0x400000u : (magnitude & 0x7fffffu) != 0);
    exponent += up;
    if (exponent > 0xfe) return saturate == __NV_SATFINITE ? 0xfe : 0xff;
    return (__nv_fp8_storage_t)exponent;
}
__WARPSMITH_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    unsigned low = __nv_cvt_float_to_e8m0(x.x, saturate, rounding), high = __nv_cvt_float_to_e8m0(x.y, saturate, rounding);
    return (__nv_fp8x2_storage_t)(low | high << 8);
}
__WARPSMITH_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    return __nv_cvt_float_to_e8m0(__builtin_bit_cast(float, (unsigned)x.x << 16), saturate, rounding);
}
__WARPSMITH_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    unsigned low = __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw{x.x}, saturate, rounding);
    unsigned high = __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw{x.y}, saturate, rounding);
    return (__nv_fp8x2_storage_t)(low | high << 8);
}
// Every scaling factor is a bfloat16 exactly, the least of them one that is not normal.
__WARPSMITH_BOTH __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
    return __nv_bfloat16_raw{(unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x40 : x << 7)};
}
__WARPSMITH_BOTH __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
    return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x, __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}

struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;

    __nv_fp8_e8m0() = default;
    __device__ explicit __nv_fp8_e8m0(float x) : __x(__nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    __device__ explicit __nv_fp8_e8m0(double x) : __x(__nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    __device__ explicit __nv_fp8_e8m0(const __half x) : __nv_fp8_e8m0(__half2float(x)) {}
    __device__ explicit __nv_fp8_e8m0(const __nv_bfloat16 x) : __nv_fp8_e8m0(__bfloat162float(x)) {}
    __device__ explicit __nv_fp8_e8m0(short x) : __nv_fp8_e8m0((float)x) {}
    __device__ explicit __nv_fp8_e8m0(unsigned short x) : __nv_fp8_e8m0((float)x) {}
    __device__ explicit __nv_fp8_e8m0(int x) : __nv_fp8_e8m0((double)x) {}
    __device__ explicit __nv_fp8_e8m0(unsigned x) : __nv_fp8_e8m0((double)x) {}
    // A number that is rounded away from zero here is rounded to the same power of two then.
    __device__ explicit __nv_fp8_e8m0(long x) : __nv_fp8_e8m0((long long)x) {}
    __device__ explicit __nv_fp8_e8m0(unsigned long x) : __nv_fp8_e8m0((unsigned long long)x) {}
    __device__ explicit __nv_fp8_e8m0(long long x) : __nv_fp8_e8m0(x < 0 ? __ll2float_rd(x) : __ll2float_ru(x)) {}
    __device__ explicit __nv_fp8_e8m0(unsigned long long x) : __nv_fp8_e8m0(__ull2float_ru(x)) {}
    __device__ explicit operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
    __device__ explicit operator float() const { return __bfloat162float((__nv_bfloat16)*this); }
    __device__ explicit operator double() const { return (double)(float)*this; }
    __device__ explicit operator __half() const { return __float2half((float)*this); }
    // Not zero, whatever it is: there is no zero.
    __device__ explicit operator bool() const { return true; }
    // No number is beyond the type's range, and what is not a number is zero.
    __device__ explicit operator signed char() const { return __x == 0xff ? (signed char)0 : (signed char)fminf((float)*this, 127.0f); }
    __device__ explicit operator unsigned char() const { return __x == 0xff ? (unsigned char)0 : (unsigned char)fminf((float)*this, 255.0f); }
    __device__ explicit operator char() const { return __x == 0xff ? (char)0 : (char)fminf((float)*this, 127.0f); }
    __device__ explicit operator short() const { return __x == 0xff ? (short)0 : (short)fminf((float)*this, 32767.0f); }
    __device__ explicit operator unsigned short() const { return __x == 0xff ? (unsigned short)0 : (unsigned short)fminf((float)*this, 65535.0f); }
    __device__ explicit operator int() const { return __float2int_rz((float)*this); }
    __device__ explicit operator unsigned() const { return __float2uint_rz((float)*this); }
    __device__ explicit operator long() const { return __float2ll_rz((float)*this); }
    __device__ explicit operator unsigned long() const { return __float2ull_rz((float)*this); }
    __device__ explicit operator long long() const { return __float2ll_rz((float)*this); }
    __device__ explicit operator unsigned long long() const { return __float2ull_rz((float)*this); }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;

    __nv_fp8x2_e8m0() = default;
    __device__ explicit __nv_fp8x2_e8m0(float2 x) : __x(__nv_cvt_float2_to_e8m0x2(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    __device__ explicit __nv_fp8x2_e8m0(double2 x) : __x(__nv_cvt_double2_to_e8m0x2(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    __device__ explicit __nv_fp8x2_e8m0(const __half2 x) : __nv_fp8x2_e8m0(__half22float2(x)) {}
    __device__ explicit __nv_fp8x2_e8m0(const __nv_bfloat162 x) : __nv_fp8x2_e8m0(__bfloat1622float2(x)) {}
    __device__ explicit operator __nv_bfloat162() const { return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x)); }
    __device__ explicit operator float2() const { return __bfloat1622float2((__nv_bfloat162)*this); }
    __device__ explicit operator __half2() const { return __float22half2_rn((float2)*this); }
};
struct __attribute__((aligned(4))) __nv_fp8x4_e8m0 {
    __nv_fp8x4_storage_t __x;

    __nv_fp8x4_e8m0() = default;
    __device__ explicit __nv_fp8x4_e8m0(float4 x)
        : __x((unsigned)__nv_fp8x2_e8m0(float2{x.x, x.y}).__x | (unsigned)__nv_fp8x2_e8m0(float2{x.z, x.w}).__x << 16) {}
    __device__ explicit __nv_fp8x4_e8m0(double4 x)
        : __x((unsigned)__nv_fp8x2_e8m0(double2{x.x, x.y}).__x | (unsigned)__nv_fp8x2_e8m0(double2{x.z, x.w}).__x << 16) {}
    __device__ explicit __nv_fp8x4_e8m0(const __half2 low, const __half2 high)
        : __x((unsigned)__nv_fp8x2_e8m0(low).__x | (unsigned)__nv_fp8x2_e8m0(high).__x << 16) {}
    __device__ explicit __nv_fp8x4_e8m0(const __nv_bfloat162 low, const __nv_bfloat162 high)
        : __x((unsigned)__nv_fp8x2_e8m0(low).__x | (unsigned)__nv_fp8x2_e8m0(high).__x << 16) {}
    __device__ explicit operator float4() const {
        float2 low = __bfloat1622float2(__nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw((__nv_fp8x2_storage_t)__x)));
        float2 high = __bfloat1622float2(__nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw((__nv_fp8x2_storage_t)(__x >> 16))));
        return float4{low.x, low.y, high.x, high.y};
    }
};
