// Eight-bit floating point, e4m3 and e5m2: types and conversions.
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
