// bfloat16: the upper half of a float, alone and in pairs: types, conversions, arithmetic, comparisons, functions.
#pragma once
#include <cuda_fp16.h>

// The bits.
struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x, y;
};

// Conversions of bits.
__WARPSMITH_DEVICE unsigned short __warpsmith_float_to_bfloat16(float x) {
#if __CUDA_ARCH__ >= 800
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    unsigned word = __float_as_uint(x);
    if ((word & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (unsigned short)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
#endif
}
__WARPSMITH_BOTH float __warpsmith_bfloat16_to_float(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
    __device__ __nv_bfloat16(float x) : __x(__warpsmith_float_to_bfloat16(x)) {}
    __device__ explicit __nv_bfloat16(__half x) : __x(__warpsmith_float_to_bfloat16(__half2float(x))) {}
    __device__ __nv_bfloat16(double x);
    __device__ __nv_bfloat16(short x);
    __device__ __nv_bfloat16(unsigned short x);
    __device__ __nv_bfloat16(int x);
    __device__ __nv_bfloat16(unsigned x);
    __device__ __nv_bfloat16(long x);
    __device__ __nv_bfloat16(unsigned long x);
    __device__ __nv_bfloat16(long long x);
    __device__ __nv_bfloat16(unsigned long long x);
    __host__ __device__ constexpr operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    __device__ operator float() const { return __warpsmith_bfloat16_to_float(__x); }
    __host__ __device__ constexpr operator bool() const { return (__x & 0x7fff) != 0; }
    __device__ operator signed char() const;
    __device__ operator unsigned char() const;
    __device__ operator char() const;
    __device__ operator short() const;
    __device__ operator unsigned short() const;
    __device__ operator int() const;
    __device__ operator unsigned() const;
    __device__ operator long() const;
    __device__ operator unsigned long() const;
    __device__ operator long long() const;
    __device__ operator unsigned long long() const;
    __device__ __nv_bfloat16 &operator=(float x) {
        __x = __warpsmith_float_to_bfloat16(x);
        return *this;
    }
    __device__ __nv_bfloat16 &operator=(double x);
    __device__ __nv_bfloat16 &operator=(short x);
    __device__ __nv_bfloat16 &operator=(unsigned short x);
    __device__ __nv_bfloat16 &operator=(int x);
    __device__ __nv_bfloat16 &operator=(unsigned x);
    __device__ __nv_bfloat16 &operator=(long x);
    __device__ __nv_bfloat16 &operator=(unsigned long x);
    __device__ __nv_bfloat16 &operator=(long long x);
    __device__ __nv_bfloat16 &operator=(unsigned long long x);
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
    __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat162_raw &raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
    __host__ __device__ constexpr operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__WARPSMITH_BOTH constexpr __nv_bfloat16 __warpsmith_bfloat16(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
__WARPSMITH_BOTH unsigned __warpsmith_word(__nv_bfloat162 a) { return (unsigned)a.x.__x | (unsigned)a.y.__x << 16; }
__WARPSMITH_BOTH __nv_bfloat162 __warpsmith_bfloat162(unsigned word) {
    return __nv_bfloat162(__warpsmith_bfloat16((unsigned short)word), __warpsmith_bfloat16((unsigned short)(word >> 16)));
}

__WARPSMITH_BOTH short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
__WARPSMITH_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__WARPSMITH_BOTH __nv_bfloat16 __short_as_bfloat16(short bits) { return __warpsmith_bfloat16((unsigned short)bits); }
__WARPSMITH_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __warpsmith_bfloat16(bits); }

// From and to float and double.
__WARPSMITH_DEVICE __nv_bfloat16 __float2bfloat16(float x) { return __warpsmith_bfloat16(__warpsmith_float_to_bfloat16(x)); }
__WARPSMITH_DEVICE __nv_bfloat16 __float2bfloat16_rn(float x) { return __warpsmith_bfloat16(__warpsmith_float_to_bfloat16(x)); }
__WARPSMITH_DEVICE __nv_bfloat16 __float2bfloat16_rz(float x) {
    unsigned word = __float_as_uint(x);
    if ((word & 0x7fffffffu) > 0x7f800000u) return __warpsmith_bfloat16(0x7fff);
    return __warpsmith_bfloat16((unsigned short)(word >> 16));
}
// The neighbour away from zero, if anything was cut off.
__WARPSMITH_DEVICE __nv_bfloat16 __warpsmith_bfloat16_away(float x, bool away) {
    unsigned word = __float_as_uint(x);
    if ((word & 0x7fffffffu) > 0x7f800000u) return __warpsmith_bfloat16(0x7fff);
    unsigned more = away && (word & 0xffffu) != 0;
    return __warpsmith_bfloat16((unsigned short)((word >> 16) + more));
}
__WARPSMITH_DEVICE __nv_bfloat16 __float2bfloat16_rd(float x) { return __warpsmith_bfloat16_away(x, __float_as_int(x) < 0); }
__WARPSMITH_DEVICE __nv_bfloat16 __float2bfloat16_ru(float x) { return __warpsmith_bfloat16_away(x, __float_as_int(x) >= 0); }
// Rounded to odd first, so that the second rounding gives what one would. The rest is what was lost of the number, less than its last bit.
__WARPSMITH_DEVICE float __warpsmith_odd(double x, double rest = 0) {
    float toward = __double2float_rz(x);
    if ((double)toward != x && x == x) return __uint_as_float(__float_as_uint(toward) | 1u);
    if (rest > 0 || rest < 0) toward = __uint_as_float((__float_as_uint(toward) - ((rest > 0) == (x > 0) ? 0u : 1u)) | 1u);
    return toward;
}
__WARPSMITH_DEVICE __nv_bfloat16 __double2bfloat16(double x) { return __float2bfloat16_rn(__warpsmith_odd(x)); }
__WARPSMITH_DEVICE float __bfloat162float(__nv_bfloat16 a) { return __warpsmith_bfloat16_to_float(a.__x); }

// From and to integers.
__WARPSMITH_DEVICE short __bfloat162short_rn(__nv_bfloat16 a) { return (short)max(min(__float2int_rn(__bfloat162float(a)), 32767), -32768); }
__WARPSMITH_DEVICE __nv_bfloat16 __short2bfloat16_rn(short x) { return __float2bfloat16_rn((float)x); }
__WARPSMITH_DEVICE short __bfloat162short_rz(__nv_bfloat16 a) { return (short)max(min(__float2int_rz(__bfloat162float(a)), 32767), -32768); }
__WARPSMITH_DEVICE __nv_bfloat16 __short2bfloat16_rz(short x) { return __float2bfloat16_rz(__int2float_rz(x)); }
__WARPSMITH_DEVICE short __bfloat162short_rd(__nv_bfloat16 a) { return (short)max(min(__float2int_rd(__bfloat162float(a)), 32767), -32768); }
__WARPSMITH_DEVICE __nv_bfloat16 __short2bfloat16_rd(short x) { return __float2bfloat16_rd(__int2float_rd(x)); }
__WARPSMITH_DEVICE short __bfloat162short_ru(__nv_bfloat16 a) { return (short)max(min(__float2int_ru(__bfloat162float(a)), 32767), -32768); }
__WARPSMITH_DEVICE __nv_bfloat16 __short2bfloat16_ru(short x) { return __float2bfloat16_ru(__int2float_ru(x)); }
__WARPSMITH_DEVICE unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) { return (unsigned short)max(min(__float2int_rn(__bfloat162float(a)), 65535), 0); }
__WARPSMITH_DEVICE __nv_bfloat16 __ushort2bfloat16_rn(unsigned short x) { return __float2bfloat16_rn((float)x); }
__WARPSMITH_DEVICE unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) { return (unsigned short)max(min(__float2int_rz(__bfloat162float(a)), 65535), 0); }
__WARPSMITH_DEVICE __nv_bfloat16 __ushort2bfloat16_rz(unsigned short x) { return __float2bfloat16_rz(__uint2float_rz(x)); }
__WARPSMITH_DEVICE unsigned short __bfloat162ushort_rd(__nv_bfloat16 a) { return (unsigned short)max(min(__float2int_rd(__bfloat162float(a)), 65535), 0); }
__WARPSMITH_DEVICE __nv_bfloat16 __ushort2bfloat16_rd(unsigned short x) { return __float2bfloat16_rd(__uint2float_rd(x)); }
__WARPSMITH_DEVICE unsigned short __bfloat162ushort_ru(__nv_bfloat16 a) { return (unsigned short)max(min(__float2int_ru(__bfloat162float(a)), 65535), 0); }
__WARPSMITH_DEVICE __nv_bfloat16 __ushort2bfloat16_ru(unsigned short x) { return __float2bfloat16_ru(__uint2float_ru(x)); }
__WARPSMITH_DEVICE int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __int2bfloat16_rn(int x) { return __double2bfloat16((double)x); }
__WARPSMITH_DEVICE int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __int2bfloat16_rz(int x) { return __float2bfloat16_rz(__int2float_rz(x)); }
__WARPSMITH_DEVICE int __bfloat162int_rd(__nv_bfloat16 a) { return __float2int_rd(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __int2bfloat16_rd(int x) { return __float2bfloat16_rd(__int2float_rd(x)); }
__WARPSMITH_DEVICE int __bfloat162int_ru(__nv_bfloat16 a) { return __float2int_ru(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __int2bfloat16_ru(int x) { return __float2bfloat16_ru(__int2float_ru(x)); }
__WARPSMITH_DEVICE unsigned __bfloat162uint_rn(__nv_bfloat16 a) { return __float2uint_rn(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __double2bfloat16((double)x); }
__WARPSMITH_DEVICE unsigned __bfloat162uint_rz(__nv_bfloat16 a) { return __float2uint_rz(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __uint2bfloat16_rz(unsigned x) { return __float2bfloat16_rz(__uint2float_rz(x)); }
__WARPSMITH_DEVICE unsigned __bfloat162uint_rd(__nv_bfloat16 a) { return __float2uint_rd(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __uint2bfloat16_rd(unsigned x) { return __float2bfloat16_rd(__uint2float_rd(x)); }
__WARPSMITH_DEVICE unsigned __bfloat162uint_ru(__nv_bfloat16 a) { return __float2uint_ru(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __uint2bfloat16_ru(unsigned x) { return __float2bfloat16_ru(__uint2float_ru(x)); }
__WARPSMITH_DEVICE long long __bfloat162ll_rn(__nv_bfloat16 a) { return __float2ll_rn(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ll2bfloat16_rn(long long x) {
    float toward = __ll2float_rz(x);
    if ((long long)toward != x) toward = __uint_as_float(__float_as_uint(toward) | 1u);
    return __float2bfloat16_rn(toward);
}
__WARPSMITH_DEVICE long long __bfloat162ll_rz(__nv_bfloat16 a) { return __float2ll_rz(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ll2bfloat16_rz(long long x) { return __float2bfloat16_rz(__ll2float_rz(x)); }
__WARPSMITH_DEVICE long long __bfloat162ll_rd(__nv_bfloat16 a) { return __float2ll_rd(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ll2bfloat16_rd(long long x) { return __float2bfloat16_rd(__ll2float_rd(x)); }
__WARPSMITH_DEVICE long long __bfloat162ll_ru(__nv_bfloat16 a) { return __float2ll_ru(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ll2bfloat16_ru(long long x) { return __float2bfloat16_ru(__ll2float_ru(x)); }
__WARPSMITH_DEVICE unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) { return __float2ull_rn(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ull2bfloat16_rn(unsigned long long x) {
    float toward = __ull2float_rz(x);
    if ((unsigned long long)toward != x) toward = __uint_as_float(__float_as_uint(toward) | 1u);
    return __float2bfloat16_rn(toward);
}
__WARPSMITH_DEVICE unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) { return __float2ull_rz(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ull2bfloat16_rz(unsigned long long x) { return __float2bfloat16_rz(__ull2float_rz(x)); }
__WARPSMITH_DEVICE unsigned long long __bfloat162ull_rd(__nv_bfloat16 a) { return __float2ull_rd(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ull2bfloat16_rd(unsigned long long x) { return __float2bfloat16_rd(__ull2float_rd(x)); }
__WARPSMITH_DEVICE unsigned long long __bfloat162ull_ru(__nv_bfloat16 a) { return __float2ull_ru(__bfloat162float(a)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ull2bfloat16_ru(unsigned long long x) { return __float2bfloat16_ru(__ull2float_ru(x)); }
__WARPSMITH_DEVICE signed char __bfloat162char_rz(__nv_bfloat16 a) { return (signed char)max(min(__float2int_rz(__bfloat162float(a)), 127), -128); }
__WARPSMITH_DEVICE unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) { return (unsigned char)max(min(__float2int_rz(__bfloat162float(a)), 255), 0); }

// The members that convert.
__device__ inline __nv_bfloat16::__nv_bfloat16(double x) : __x(__double2bfloat16(x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(double x) { return *this = __double2bfloat16(x); }
__device__ inline __nv_bfloat16::__nv_bfloat16(short x) : __x(__short2bfloat16_rn(x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(short x) { return *this = __short2bfloat16_rn(x); }
__device__ inline __nv_bfloat16::operator short() const { return (short)__bfloat162short_rz(*this); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned short x) : __x(__ushort2bfloat16_rn(x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(unsigned short x) { return *this = __ushort2bfloat16_rn(x); }
__device__ inline __nv_bfloat16::operator unsigned short() const { return (unsigned short)__bfloat162ushort_rz(*this); }
__device__ inline __nv_bfloat16::__nv_bfloat16(int x) : __x(__int2bfloat16_rn(x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(int x) { return *this = __int2bfloat16_rn(x); }
__device__ inline __nv_bfloat16::operator int() const { return (int)__bfloat162int_rz(*this); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned x) : __x(__uint2bfloat16_rn(x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(unsigned x) { return *this = __uint2bfloat16_rn(x); }
__device__ inline __nv_bfloat16::operator unsigned() const { return (unsigned)__bfloat162uint_rz(*this); }
__device__ inline __nv_bfloat16::__nv_bfloat16(long x) : __x(__ll2bfloat16_rn((long long)x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(long x) { return *this = __ll2bfloat16_rn((long long)x); }
__device__ inline __nv_bfloat16::operator long() const { return (long)__bfloat162ll_rz(*this); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long x) : __x(__ull2bfloat16_rn((unsigned long long)x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(unsigned long x) { return *this = __ull2bfloat16_rn((unsigned long long)x); }
__device__ inline __nv_bfloat16::operator unsigned long() const { return (unsigned long)__bfloat162ull_rz(*this); }
__device__ inline __nv_bfloat16::__nv_bfloat16(long long x) : __x(__ll2bfloat16_rn(x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(long long x) { return *this = __ll2bfloat16_rn(x); }
__device__ inline __nv_bfloat16::operator long long() const { return (long long)__bfloat162ll_rz(*this); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long long x) : __x(__ull2bfloat16_rn(x).__x) {}
__device__ inline __nv_bfloat16 &__nv_bfloat16::operator=(unsigned long long x) { return *this = __ull2bfloat16_rn(x); }
__device__ inline __nv_bfloat16::operator unsigned long long() const { return (unsigned long long)__bfloat162ull_rz(*this); }
__device__ inline __nv_bfloat16::operator signed char() const { return __bfloat162char_rz(*this); }
__device__ inline __nv_bfloat16::operator char() const { return (char)__bfloat162char_rz(*this); }
__device__ inline __nv_bfloat16::operator unsigned char() const { return __bfloat162uchar_rz(*this); }

// Pairs.
__WARPSMITH_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
    return __nv_bfloat162(__float2bfloat16_rn(x), __float2bfloat16_rn(y));
}
__WARPSMITH_DEVICE __nv_bfloat162 __float2bfloat162_rn(float x) { return __floats2bfloat162_rn(x, x); }
__WARPSMITH_DEVICE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__WARPSMITH_DEVICE float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{__bfloat162float(a.x), __bfloat162float(a.y)}; }
__WARPSMITH_DEVICE float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
__WARPSMITH_DEVICE float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
__WARPSMITH_DEVICE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__WARPSMITH_DEVICE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__WARPSMITH_DEVICE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
__WARPSMITH_DEVICE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
__WARPSMITH_DEVICE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
__WARPSMITH_DEVICE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
__WARPSMITH_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
__WARPSMITH_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__WARPSMITH_DEVICE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }

__WARPSMITH_DEVICE __nv_bfloat162 __bfloat162bfloat162_rn(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }

// Arithmetic.
#define __WARPSMITH_BINARY1(name, instruction)                                              \
    __WARPSMITH_DEVICE __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                              \
        unsigned short bits;                                                                  \
        asm(instruction " %0, %1, %2;" : "=h"(bits) : "h"(a.__x), "h"(b.__x));                \
        return __warpsmith_bfloat16(bits);                                                        \
    }
#define __WARPSMITH_BINARY2(name, instruction)                                              \
    __WARPSMITH_DEVICE __nv_bfloat162 name(__nv_bfloat162 a, __nv_bfloat162 b) {                                           \
        unsigned word;                                                                        \
        asm(instruction " %0, %1, %2;" : "=r"(word) : "r"(__warpsmith_word(a)), "r"(__warpsmith_word(b))); \
        return __warpsmith_bfloat162(word);                                                        \
    }
#define __WARPSMITH_TERNARY1(name, instruction)                                             \
    __WARPSMITH_DEVICE __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {                                       \
        unsigned short bits;                                                                  \
        asm(instruction " %0, %1, %2, %3;" : "=h"(bits) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
        return __warpsmith_bfloat16(bits);                                                        \
    }
#define __WARPSMITH_TERNARY2(name, instruction)                                             \
    __WARPSMITH_DEVICE __nv_bfloat162 name(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {                                   \
        unsigned word;                                                                        \
        asm(instruction " %0, %1, %2, %3;"                                                    \
            : "=r"(word) : "r"(__warpsmith_word(a)), "r"(__warpsmith_word(b)), "r"(__warpsmith_word(c))); \
        return __warpsmith_bfloat162(word);                                                        \
    }

#if __CUDA_ARCH__ >= 900
__WARPSMITH_BINARY1(__hadd, "add.bf16")
__WARPSMITH_BINARY2(__hadd2, "add.bf16x2")
__WARPSMITH_BINARY1(__hadd_rn, "add.rn.bf16")
__WARPSMITH_BINARY2(__hadd2_rn, "add.rn.bf16x2")
__WARPSMITH_BINARY1(__hsub, "sub.bf16")
__WARPSMITH_BINARY2(__hsub2, "sub.bf16x2")
__WARPSMITH_BINARY1(__hsub_rn, "sub.rn.bf16")
__WARPSMITH_BINARY2(__hsub2_rn, "sub.rn.bf16x2")
__WARPSMITH_BINARY1(__hmul, "mul.bf16")
__WARPSMITH_BINARY2(__hmul2, "mul.bf16x2")
__WARPSMITH_BINARY1(__hmul_rn, "mul.rn.bf16")
__WARPSMITH_BINARY2(__hmul2_rn, "mul.rn.bf16x2")
#endif
#if __CUDA_ARCH__ >= 800
__WARPSMITH_TERNARY1(__hfma, "fma.rn.bf16")
__WARPSMITH_TERNARY2(__hfma2, "fma.rn.bf16x2")
__WARPSMITH_TERNARY1(__hfma_relu, "fma.rn.relu.bf16")
__WARPSMITH_TERNARY2(__hfma2_relu, "fma.rn.relu.bf16x2")
#else
// The product is exact in double; of the sum what is lost is known.
__WARPSMITH_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    double product = (double)__bfloat162float(a) * (double)__bfloat162float(b), more = (double)__bfloat162float(c);
    double sum = product + more, added = sum - product;
    return __float2bfloat16_rn(__warpsmith_odd(sum, (product - (sum - added)) + (more - added)));
}
__WARPSMITH_DEVICE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#endif
#if __CUDA_ARCH__ < 900
// a + b = a * 1 + b, a - b = b * -1 + a, a * b = a * b + -0.
__WARPSMITH_DEVICE __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, __warpsmith_bfloat16(0x3f80), b); }
__WARPSMITH_DEVICE __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, __warpsmith_bfloat16(0xbf80), a); }
__WARPSMITH_DEVICE __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, __warpsmith_bfloat16(0x8000)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, __warpsmith_bfloat162(0x3f803f80), b); }
__WARPSMITH_DEVICE __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(b, __warpsmith_bfloat162(0xbf80bf80), a); }
__WARPSMITH_DEVICE __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, b, __warpsmith_bfloat162(0x80008000)); }
__WARPSMITH_DEVICE __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
#endif
// Between 0 and 1; NaN gives 0.
__WARPSMITH_DEVICE __nv_bfloat16 __warpsmith_saturated(__nv_bfloat16 a) { return __float2bfloat16_rn(__saturatef(__bfloat162float(a))); }
__WARPSMITH_DEVICE __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __warpsmith_saturated(__hadd(a, b)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
__WARPSMITH_DEVICE __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __warpsmith_saturated(__hsub(a, b)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
__WARPSMITH_DEVICE __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __warpsmith_saturated(__hmul(a, b)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
__WARPSMITH_DEVICE __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __warpsmith_saturated(__hfma(a, b, c)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
#if __CUDA_ARCH__ >= 800
__WARPSMITH_DEVICE __nv_bfloat16 __hneg(__nv_bfloat16 a) {
    unsigned short bits;
    asm("neg.bf16 %0, %1;" : "=h"(bits) : "h"(a.__x));
    return __warpsmith_bfloat16(bits);
}
__WARPSMITH_DEVICE __nv_bfloat162 __hneg2(__nv_bfloat162 a) {
    unsigned word;
    asm("neg.bf16x2 %0, %1;" : "=r"(word) : "r"(__warpsmith_word(a)));
    return __warpsmith_bfloat162(word);
}
__WARPSMITH_DEVICE __nv_bfloat16 __habs(__nv_bfloat16 a) {
    unsigned short bits;
    asm("abs.bf16 %0, %1;" : "=h"(bits) : "h"(a.__x));
    return __warpsmith_bfloat16(bits);
}
__WARPSMITH_DEVICE __nv_bfloat162 __habs2(__nv_bfloat162 a) {
    unsigned word;
    asm("abs.bf16x2 %0, %1;" : "=r"(word) : "r"(__warpsmith_word(a)));
    return __warpsmith_bfloat162(word);
}
#else
__WARPSMITH_DEVICE __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __warpsmith_bfloat16((unsigned short)(a.__x ^ 0x8000)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __warpsmith_bfloat162(__warpsmith_word(a) ^ 0x80008000u); }
__WARPSMITH_DEVICE __nv_bfloat16 __habs(__nv_bfloat16 a) { return __warpsmith_bfloat16((unsigned short)(a.__x & 0x7fff)); }
__WARPSMITH_DEVICE __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __warpsmith_bfloat162(__warpsmith_word(a) & 0x7fff7fffu); }
#endif
__WARPSMITH_DEVICE __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__bfloat162float(a) / __bfloat162float(b)); }
__WARPSMITH_DEVICE __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
// A product of complex numbers, x + iy, added to another.
__WARPSMITH_DEVICE __nv_bfloat162 __hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    __nv_bfloat16 real = __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x));
    __nv_bfloat16 imaginary = __hfma(a.y, b.x, __hfma(a.x, b.y, c.y));
    return __nv_bfloat162(real, imaginary);
}

// Comparisons; those with `u` are true of NaN.
#define __WARPSMITH_COMPARISON(name, test)                                                     \
    __WARPSMITH_DEVICE bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return test; }                                       \
    __WARPSMITH_DEVICE bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
    __WARPSMITH_DEVICE unsigned __h##name##2_mask(__nv_bfloat162 a, __nv_bfloat162 b) {                                         \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);              \
    }                                                                                                       \
    __WARPSMITH_DEVICE __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                                  \
        return __nv_bfloat162(__warpsmith_bfloat16(__h##name(a.x, b.x) ? 0x3f80 : 0), __warpsmith_bfloat16(__h##name(a.y, b.y) ? 0x3f80 : 0)); \
    }
__WARPSMITH_COMPARISON(eq, (__bfloat162float(a) == __bfloat162float(b)))
__WARPSMITH_COMPARISON(ne, (__bfloat162float(a) < __bfloat162float(b) || __bfloat162float(a) > __bfloat162float(b)))
__WARPSMITH_COMPARISON(le, (__bfloat162float(a) <= __bfloat162float(b)))
__WARPSMITH_COMPARISON(ge, (__bfloat162float(a) >= __bfloat162float(b)))
__WARPSMITH_COMPARISON(lt, (__bfloat162float(a) < __bfloat162float(b)))
__WARPSMITH_COMPARISON(gt, (__bfloat162float(a) > __bfloat162float(b)))
__WARPSMITH_COMPARISON(equ, (!(__bfloat162float(a) < __bfloat162float(b) || __bfloat162float(a) > __bfloat162float(b))))
__WARPSMITH_COMPARISON(neu, (__bfloat162float(a) != __bfloat162float(b)))
__WARPSMITH_COMPARISON(leu, (!(__bfloat162float(a) > __bfloat162float(b))))
__WARPSMITH_COMPARISON(geu, (!(__bfloat162float(a) < __bfloat162float(b))))
__WARPSMITH_COMPARISON(ltu, (!(__bfloat162float(a) >= __bfloat162float(b))))
__WARPSMITH_COMPARISON(gtu, (!(__bfloat162float(a) <= __bfloat162float(b))))
#undef __WARPSMITH_COMPARISON
__WARPSMITH_DEVICE bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
__WARPSMITH_DEVICE int __hisinf(__nv_bfloat16 a) { return a.__x == 0x7f80 ? 1 : a.__x == (0x7f80 | 0x8000) ? -1 : 0; }
__WARPSMITH_DEVICE __nv_bfloat162 __hisnan2(__nv_bfloat162 a) {
    return __nv_bfloat162(__warpsmith_bfloat16(__hisnan(a.x) ? 0x3f80 : 0), __warpsmith_bfloat16(__hisnan(a.y) ? 0x3f80 : 0));
}

#if __CUDA_ARCH__ >= 800
__WARPSMITH_BINARY1(__hmin, "min.bf16")
__WARPSMITH_BINARY1(__hmin_nan, "min.NaN.bf16")
__WARPSMITH_BINARY2(__hmin2, "min.bf16x2")
__WARPSMITH_BINARY2(__hmin2_nan, "min.NaN.bf16x2")
__WARPSMITH_BINARY1(__hmax, "max.bf16")
__WARPSMITH_BINARY1(__hmax_nan, "max.NaN.bf16")
__WARPSMITH_BINARY2(__hmax2, "max.bf16x2")
__WARPSMITH_BINARY2(__hmax2_nan, "max.NaN.bf16x2")
#else
__WARPSMITH_DEVICE __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__builtin_fminf(__bfloat162float(a), __bfloat162float(b))); }
__WARPSMITH_DEVICE __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || __hisnan(b) ? __warpsmith_bfloat16(0x7fff) : __hmin(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
__WARPSMITH_DEVICE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__builtin_fmaxf(__bfloat162float(a), __bfloat162float(b))); }
__WARPSMITH_DEVICE __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || __hisnan(b) ? __warpsmith_bfloat16(0x7fff) : __hmax(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__WARPSMITH_DEVICE __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
#endif

#undef __WARPSMITH_BINARY1
#undef __WARPSMITH_BINARY2
#undef __WARPSMITH_TERNARY1
#undef __WARPSMITH_TERNARY2

// Functions, computed in float.
#define __WARPSMITH_FUNCTION(name, value)                                                  \
    __WARPSMITH_DEVICE __nv_bfloat16 h##name(__nv_bfloat16 a) {                                                 \
        float x = __bfloat162float(a);                                                                    \
        return __float2bfloat16_rn(value);                                                       \
    }                                                                                       \
    __WARPSMITH_DEVICE __nv_bfloat162 h2##name(__nv_bfloat162 a) { return __nv_bfloat162(h##name(a.x), h##name(a.y)); }
__WARPSMITH_FUNCTION(sqrt, __nvvm_sqrt_rn_f(x))
__WARPSMITH_FUNCTION(rsqrt, __nvvm_rsqrt_approx_f(x))
__WARPSMITH_FUNCTION(rcp, 1.0f / x)
__WARPSMITH_FUNCTION(exp, __builtin_expf(x))
__WARPSMITH_FUNCTION(exp2, __builtin_exp2f(x))
__WARPSMITH_FUNCTION(exp10, __nv_exp10f(x))
__WARPSMITH_FUNCTION(log, __builtin_logf(x))
__WARPSMITH_FUNCTION(log2, __builtin_log2f(x))
__WARPSMITH_FUNCTION(log10, __builtin_log10f(x))
__WARPSMITH_FUNCTION(sin, __builtin_sinf(x))
__WARPSMITH_FUNCTION(cos, __builtin_cosf(x))
__WARPSMITH_FUNCTION(tanh, __builtin_tanhf(x))
__WARPSMITH_FUNCTION(floor, __builtin_floorf(x))
__WARPSMITH_FUNCTION(ceil, __builtin_ceilf(x))
__WARPSMITH_FUNCTION(trunc, __builtin_truncf(x))
__WARPSMITH_FUNCTION(rint, __builtin_rintf(x))
#undef __WARPSMITH_FUNCTION
// The machine's own hyperbolic tangent, where it has one.
#if __CUDA_ARCH__ >= 900
__WARPSMITH_DEVICE __nv_bfloat16 htanh_approx(__nv_bfloat16 a) {
    unsigned short bits;
    asm("tanh.approx.bf16 %0, %1;" : "=h"(bits) : "h"(a.__x));
    return __warpsmith_bfloat16(bits);
}
__WARPSMITH_DEVICE __nv_bfloat162 h2tanh_approx(__nv_bfloat162 a) {
    unsigned word;
    asm("tanh.approx.bf16x2 %0, %1;" : "=r"(word) : "r"(__warpsmith_word(a)));
    return __warpsmith_bfloat162(word);
}
#else
__WARPSMITH_DEVICE __nv_bfloat16 htanh_approx(__nv_bfloat16 a) { return htanh(a); }
__WARPSMITH_DEVICE __nv_bfloat162 h2tanh_approx(__nv_bfloat162 a) { return h2tanh(a); }
#endif

// Shuffles.
__WARPSMITH_DEVICE __nv_bfloat162 __shfl_sync(unsigned mask, __nv_bfloat162 value, int lane, int width = 32) {
    return __warpsmith_bfloat162(__shfl_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __nv_bfloat16 __shfl_sync(unsigned mask, __nv_bfloat16 value, int lane, int width = 32) {
    return __warpsmith_bfloat16((unsigned short)__shfl_sync(mask, (unsigned)value.__x, lane, width));
}
__WARPSMITH_DEVICE __nv_bfloat162 __shfl_up_sync(unsigned mask, __nv_bfloat162 value, unsigned lane, int width = 32) {
    return __warpsmith_bfloat162(__shfl_up_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __nv_bfloat16 __shfl_up_sync(unsigned mask, __nv_bfloat16 value, unsigned lane, int width = 32) {
    return __warpsmith_bfloat16((unsigned short)__shfl_up_sync(mask, (unsigned)value.__x, lane, width));
}
__WARPSMITH_DEVICE __nv_bfloat162 __shfl_down_sync(unsigned mask, __nv_bfloat162 value, unsigned lane, int width = 32) {
    return __warpsmith_bfloat162(__shfl_down_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __nv_bfloat16 __shfl_down_sync(unsigned mask, __nv_bfloat16 value, unsigned lane, int width = 32) {
    return __warpsmith_bfloat16((unsigned short)__shfl_down_sync(mask, (unsigned)value.__x, lane, width));
}
__WARPSMITH_DEVICE __nv_bfloat162 __shfl_xor_sync(unsigned mask, __nv_bfloat162 value, int lane, int width = 32) {
    return __warpsmith_bfloat162(__shfl_xor_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 value, int lane, int width = 32) {
    return __warpsmith_bfloat16((unsigned short)__shfl_xor_sync(mask, (unsigned)value.__x, lane, width));
}

// Loads and stores with cache operators.
__WARPSMITH_DEVICE __nv_bfloat16 __ldg(const __nv_bfloat16 *p) { return __warpsmith_bfloat16(__ldg((const unsigned short *)p)); }
__WARPSMITH_DEVICE __nv_bfloat162 __ldg(const __nv_bfloat162 *p) { return __warpsmith_bfloat162(__ldg((const unsigned *)p)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ldcg(const __nv_bfloat16 *p) { return __warpsmith_bfloat16(__ldcg((const unsigned short *)p)); }
__WARPSMITH_DEVICE __nv_bfloat162 __ldcg(const __nv_bfloat162 *p) { return __warpsmith_bfloat162(__ldcg((const unsigned *)p)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ldca(const __nv_bfloat16 *p) { return __warpsmith_bfloat16(__ldca((const unsigned short *)p)); }
__WARPSMITH_DEVICE __nv_bfloat162 __ldca(const __nv_bfloat162 *p) { return __warpsmith_bfloat162(__ldca((const unsigned *)p)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ldcs(const __nv_bfloat16 *p) { return __warpsmith_bfloat16(__ldcs((const unsigned short *)p)); }
__WARPSMITH_DEVICE __nv_bfloat162 __ldcs(const __nv_bfloat162 *p) { return __warpsmith_bfloat162(__ldcs((const unsigned *)p)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ldlu(const __nv_bfloat16 *p) { return __warpsmith_bfloat16(__ldlu((const unsigned short *)p)); }
__WARPSMITH_DEVICE __nv_bfloat162 __ldlu(const __nv_bfloat162 *p) { return __warpsmith_bfloat162(__ldlu((const unsigned *)p)); }
__WARPSMITH_DEVICE __nv_bfloat16 __ldcv(const __nv_bfloat16 *p) { return __warpsmith_bfloat16(__ldcv((const unsigned short *)p)); }
__WARPSMITH_DEVICE __nv_bfloat162 __ldcv(const __nv_bfloat162 *p) { return __warpsmith_bfloat162(__ldcv((const unsigned *)p)); }
__WARPSMITH_DEVICE void __stwb(__nv_bfloat16 *p, __nv_bfloat16 value) { __stwb((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stwb(__nv_bfloat162 *p, __nv_bfloat162 value) { __stwb((unsigned *)p, __warpsmith_word(value)); }
__WARPSMITH_DEVICE void __stcg(__nv_bfloat16 *p, __nv_bfloat16 value) { __stcg((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stcg(__nv_bfloat162 *p, __nv_bfloat162 value) { __stcg((unsigned *)p, __warpsmith_word(value)); }
__WARPSMITH_DEVICE void __stcs(__nv_bfloat16 *p, __nv_bfloat16 value) { __stcs((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stcs(__nv_bfloat162 *p, __nv_bfloat162 value) { __stcs((unsigned *)p, __warpsmith_word(value)); }
__WARPSMITH_DEVICE void __stwt(__nv_bfloat16 *p, __nv_bfloat16 value) { __stwt((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stwt(__nv_bfloat162 *p, __nv_bfloat162 value) { __stwt((unsigned *)p, __warpsmith_word(value)); }

// Atomic sums.
#if __CUDA_ARCH__ >= 900
__WARPSMITH_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value) {
    unsigned short old;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(value.__x) : "memory");
    return __warpsmith_bfloat16(old);
}
__WARPSMITH_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) {
    unsigned old;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(__warpsmith_word(value)) : "memory");
    return __warpsmith_bfloat162(old);
}
#else
// By comparing and exchanging until nobody came between.
__WARPSMITH_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) {
    unsigned old = *(volatile unsigned *)address, seen;
    do {
        seen = old;
        old = atomicCAS((unsigned *)address, seen, __warpsmith_word(__hadd2(__warpsmith_bfloat162(seen), value)));
    } while (old != seen);
    return __warpsmith_bfloat162(old);
}
__WARPSMITH_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value) {
    unsigned short old = *(volatile unsigned short *)address, seen;
    do {
        seen = old;
        old = atomicCAS((unsigned short *)address, seen, __hadd(__warpsmith_bfloat16(seen), value).__x);
    } while (old != seen);
    return __warpsmith_bfloat16(old);
}
#endif

// Operators.
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
__WARPSMITH_DEVICE __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hadd(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 &operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hadd(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hsub(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 &operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hsub(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hmul(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 &operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hmul(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hdiv(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 &operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hdiv(a, b); }
__WARPSMITH_DEVICE __nv_bfloat16 operator+(const __nv_bfloat16 &a) { return a; }
__WARPSMITH_DEVICE __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __hneg(a); }
__WARPSMITH_DEVICE __nv_bfloat16 &operator++(__nv_bfloat16 &a) { return a = __hadd(a, __warpsmith_bfloat16(0x3f80)); }
__WARPSMITH_DEVICE __nv_bfloat16 &operator--(__nv_bfloat16 &a) { return a = __hsub(a, __warpsmith_bfloat16(0x3f80)); }
__WARPSMITH_DEVICE __nv_bfloat16 operator++(__nv_bfloat16 &a, int) {
    __nv_bfloat16 before = a;
    ++a;
    return before;
}
__WARPSMITH_DEVICE __nv_bfloat16 operator--(__nv_bfloat16 &a, int) {
    __nv_bfloat16 before = a;
    --a;
    return before;
}
__WARPSMITH_DEVICE bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __heq(a, b); }
__WARPSMITH_DEVICE bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hneu(a, b); }
__WARPSMITH_DEVICE bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hlt(a, b); }
__WARPSMITH_DEVICE bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hgt(a, b); }
__WARPSMITH_DEVICE bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hle(a, b); }
__WARPSMITH_DEVICE bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hge(a, b); }
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
__WARPSMITH_DEVICE __nv_bfloat162 operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hadd2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __hadd2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hsub2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __hsub2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hmul2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __hmul2(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __h2div(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 &operator/=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __h2div(a, b); }
__WARPSMITH_DEVICE __nv_bfloat162 operator+(const __nv_bfloat162 &a) { return a; }
__WARPSMITH_DEVICE __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }
__WARPSMITH_DEVICE __nv_bfloat162 &operator++(__nv_bfloat162 &a) { return a = __hadd2(a, __warpsmith_bfloat162(0x3f803f80u)); }
__WARPSMITH_DEVICE __nv_bfloat162 &operator--(__nv_bfloat162 &a) { return a = __hsub2(a, __warpsmith_bfloat162(0x3f803f80u)); }
__WARPSMITH_DEVICE __nv_bfloat162 operator++(__nv_bfloat162 &a, int) {
    __nv_bfloat162 before = a;
    ++a;
    return before;
}
__WARPSMITH_DEVICE __nv_bfloat162 operator--(__nv_bfloat162 &a, int) {
    __nv_bfloat162 before = a;
    --a;
    return before;
}
__WARPSMITH_DEVICE bool operator==(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbeq2(a, b); }
__WARPSMITH_DEVICE bool operator!=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbneu2(a, b); }
__WARPSMITH_DEVICE bool operator<(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hblt2(a, b); }
__WARPSMITH_DEVICE bool operator>(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbgt2(a, b); }
__WARPSMITH_DEVICE bool operator<=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hble2(a, b); }
__WARPSMITH_DEVICE bool operator>=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbge2(a, b); }
#endif
