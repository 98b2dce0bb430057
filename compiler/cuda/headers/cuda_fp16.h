// Half precision: IEEE binary16, alone and in pairs: types, conversions, arithmetic, comparisons, functions.
#pragma once

// The bits.
struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};

// Conversions of bits.
__WARPSMITH_DEVICE unsigned short __warpsmith_float_to_half(float x) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
__WARPSMITH_DEVICE float __warpsmith_half_to_float(unsigned short bits) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;
    __host__ __device__ constexpr __half(const __half_raw &raw) : __x(raw.x) {}
    __device__ __half(float x) : __x(__warpsmith_float_to_half(x)) {}
    __device__ __half(double x);
    __device__ __half(short x);
    __device__ __half(unsigned short x);
    __device__ __half(int x);
    __device__ __half(unsigned x);
    __device__ __half(long x);
    __device__ __half(unsigned long x);
    __device__ __half(long long x);
    __device__ __half(unsigned long long x);
    __host__ __device__ constexpr operator __half_raw() const { return __half_raw{__x}; }
    __device__ operator float() const { return __warpsmith_half_to_float(__x); }
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
    __device__ __half &operator=(float x) {
        __x = __warpsmith_float_to_half(x);
        return *this;
    }
    __device__ __half &operator=(double x);
    __device__ __half &operator=(short x);
    __device__ __half &operator=(unsigned short x);
    __device__ __half &operator=(int x);
    __device__ __half &operator=(unsigned x);
    __device__ __half &operator=(long x);
    __device__ __half &operator=(unsigned long x);
    __device__ __half &operator=(long long x);
    __device__ __half &operator=(unsigned long long x);
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {}
    __host__ __device__ constexpr __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    __host__ __device__ constexpr operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;

__WARPSMITH_BOTH constexpr __half __warpsmith_half(unsigned short bits) { return __half(__half_raw{bits}); }
__WARPSMITH_BOTH unsigned __warpsmith_word(__half2 a) { return (unsigned)a.x.__x | (unsigned)a.y.__x << 16; }
__WARPSMITH_BOTH __half2 __warpsmith_half2(unsigned word) {
    return __half2(__warpsmith_half((unsigned short)word), __warpsmith_half((unsigned short)(word >> 16)));
}

__WARPSMITH_BOTH short __half_as_short(__half a) { return (short)a.__x; }
__WARPSMITH_BOTH unsigned short __half_as_ushort(__half a) { return a.__x; }
__WARPSMITH_BOTH __half __short_as_half(short bits) { return __warpsmith_half((unsigned short)bits); }
__WARPSMITH_BOTH __half __ushort_as_half(unsigned short bits) { return __warpsmith_half(bits); }

// From and to float and double.
__WARPSMITH_DEVICE __half __float2half(float x) { return __warpsmith_half(__warpsmith_float_to_half(x)); }
__WARPSMITH_DEVICE __half __float2half_rn(float x) { return __warpsmith_half(__warpsmith_float_to_half(x)); }
__WARPSMITH_DEVICE __half __float2half_rz(float x) {
    unsigned short bits;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE __half __float2half_rd(float x) {
    unsigned short bits;
    asm("cvt.rm.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE __half __float2half_ru(float x) {
    unsigned short bits;
    asm("cvt.rp.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE __half __double2half(double x) {
    unsigned short bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE float __half2float(__half a) { return __warpsmith_half_to_float(a.__x); }

// From and to integers.
__WARPSMITH_DEVICE short __half2short_rn(__half a) {
    short result;
    asm("cvt.rni.s16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __short2half_rn(short x) {
    unsigned short bits;
    asm("cvt.rn.f16.s16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE short __half2short_rz(__half a) {
    short result;
    asm("cvt.rzi.s16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __short2half_rz(short x) {
    unsigned short bits;
    asm("cvt.rz.f16.s16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE short __half2short_rd(__half a) {
    short result;
    asm("cvt.rmi.s16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __short2half_rd(short x) {
    unsigned short bits;
    asm("cvt.rm.f16.s16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE short __half2short_ru(__half a) {
    short result;
    asm("cvt.rpi.s16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __short2half_ru(short x) {
    unsigned short bits;
    asm("cvt.rp.f16.s16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned short __half2ushort_rn(__half a) {
    unsigned short result;
    asm("cvt.rni.u16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ushort2half_rn(unsigned short x) {
    unsigned short bits;
    asm("cvt.rn.f16.u16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned short __half2ushort_rz(__half a) {
    unsigned short result;
    asm("cvt.rzi.u16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ushort2half_rz(unsigned short x) {
    unsigned short bits;
    asm("cvt.rz.f16.u16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned short __half2ushort_rd(__half a) {
    unsigned short result;
    asm("cvt.rmi.u16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ushort2half_rd(unsigned short x) {
    unsigned short bits;
    asm("cvt.rm.f16.u16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned short __half2ushort_ru(__half a) {
    unsigned short result;
    asm("cvt.rpi.u16.f16 %0, %1;" : "=h"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ushort2half_ru(unsigned short x) {
    unsigned short bits;
    asm("cvt.rp.f16.u16 %0, %1;" : "=h"(bits) : "h"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE int __half2int_rn(__half a) {
    int result;
    asm("cvt.rni.s32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __int2half_rn(int x) {
    unsigned short bits;
    asm("cvt.rn.f16.s32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE int __half2int_rz(__half a) {
    int result;
    asm("cvt.rzi.s32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __int2half_rz(int x) {
    unsigned short bits;
    asm("cvt.rz.f16.s32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE int __half2int_rd(__half a) {
    int result;
    asm("cvt.rmi.s32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __int2half_rd(int x) {
    unsigned short bits;
    asm("cvt.rm.f16.s32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE int __half2int_ru(__half a) {
    int result;
    asm("cvt.rpi.s32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __int2half_ru(int x) {
    unsigned short bits;
    asm("cvt.rp.f16.s32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned __half2uint_rn(__half a) {
    unsigned result;
    asm("cvt.rni.u32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __uint2half_rn(unsigned x) {
    unsigned short bits;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned __half2uint_rz(__half a) {
    unsigned result;
    asm("cvt.rzi.u32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __uint2half_rz(unsigned x) {
    unsigned short bits;
    asm("cvt.rz.f16.u32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned __half2uint_rd(__half a) {
    unsigned result;
    asm("cvt.rmi.u32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __uint2half_rd(unsigned x) {
    unsigned short bits;
    asm("cvt.rm.f16.u32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned __half2uint_ru(__half a) {
    unsigned result;
    asm("cvt.rpi.u32.f16 %0, %1;" : "=r"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __uint2half_ru(unsigned x) {
    unsigned short bits;
    asm("cvt.rp.f16.u32 %0, %1;" : "=h"(bits) : "r"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE long long __half2ll_rn(__half a) {
    long long result;
    asm("cvt.rni.s64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ll2half_rn(long long x) {
    unsigned short bits;
    asm("cvt.rn.f16.s64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE long long __half2ll_rz(__half a) {
    long long result;
    asm("cvt.rzi.s64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ll2half_rz(long long x) {
    unsigned short bits;
    asm("cvt.rz.f16.s64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE long long __half2ll_rd(__half a) {
    long long result;
    asm("cvt.rmi.s64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ll2half_rd(long long x) {
    unsigned short bits;
    asm("cvt.rm.f16.s64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE long long __half2ll_ru(__half a) {
    long long result;
    asm("cvt.rpi.s64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ll2half_ru(long long x) {
    unsigned short bits;
    asm("cvt.rp.f16.s64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned long long __half2ull_rn(__half a) {
    unsigned long long result;
    asm("cvt.rni.u64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ull2half_rn(unsigned long long x) {
    unsigned short bits;
    asm("cvt.rn.f16.u64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned long long __half2ull_rz(__half a) {
    unsigned long long result;
    asm("cvt.rzi.u64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ull2half_rz(unsigned long long x) {
    unsigned short bits;
    asm("cvt.rz.f16.u64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned long long __half2ull_rd(__half a) {
    unsigned long long result;
    asm("cvt.rmi.u64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ull2half_rd(unsigned long long x) {
    unsigned short bits;
    asm("cvt.rm.f16.u64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE unsigned long long __half2ull_ru(__half a) {
    unsigned long long result;
    asm("cvt.rpi.u64.f16 %0, %1;" : "=l"(result) : "h"(a.__x));
    return result;
}
__WARPSMITH_DEVICE __half __ull2half_ru(unsigned long long x) {
    unsigned short bits;
    asm("cvt.rp.f16.u64 %0, %1;" : "=h"(bits) : "l"(x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE signed char __half2char_rz(__half a) { return (signed char)max(min(__float2int_rz(__half2float(a)), 127), -128); }
__WARPSMITH_DEVICE unsigned char __half2uchar_rz(__half a) { return (unsigned char)max(min(__float2int_rz(__half2float(a)), 255), 0); }

// The members that convert.
__device__ inline __half::__half(double x) : __x(__double2half(x).__x) {}
__device__ inline __half &__half::operator=(double x) { return *this = __double2half(x); }
__device__ inline __half::__half(short x) : __x(__short2half_rn(x).__x) {}
__device__ inline __half &__half::operator=(short x) { return *this = __short2half_rn(x); }
__device__ inline __half::operator short() const { return (short)__half2short_rz(*this); }
__device__ inline __half::__half(unsigned short x) : __x(__ushort2half_rn(x).__x) {}
__device__ inline __half &__half::operator=(unsigned short x) { return *this = __ushort2half_rn(x); }
__device__ inline __half::operator unsigned short() const { return (unsigned short)__half2ushort_rz(*this); }
__device__ inline __half::__half(int x) : __x(__int2half_rn(x).__x) {}
__device__ inline __half &__half::operator=(int x) { return *this = __int2half_rn(x); }
__device__ inline __half::operator int() const { return (int)__half2int_rz(*this); }
__device__ inline __half::__half(unsigned x) : __x(__uint2half_rn(x).__x) {}
__device__ inline __half &__half::operator=(unsigned x) { return *this = __uint2half_rn(x); }
__device__ inline __half::operator unsigned() const { return (unsigned)__half2uint_rz(*this); }
__device__ inline __half::__half(long x) : __x(__ll2half_rn((long long)x).__x) {}
__device__ inline __half &__half::operator=(long x) { return *this = __ll2half_rn((long long)x); }
__device__ inline __half::operator long() const { return (long)__half2ll_rz(*this); }
__device__ inline __half::__half(unsigned long x) : __x(__ull2half_rn((unsigned long long)x).__x) {}
__device__ inline __half &__half::operator=(unsigned long x) { return *this = __ull2half_rn((unsigned long long)x); }
__device__ inline __half::operator unsigned long() const { return (unsigned long)__half2ull_rz(*this); }
__device__ inline __half::__half(long long x) : __x(__ll2half_rn(x).__x) {}
__device__ inline __half &__half::operator=(long long x) { return *this = __ll2half_rn(x); }
__device__ inline __half::operator long long() const { return (long long)__half2ll_rz(*this); }
__device__ inline __half::__half(unsigned long long x) : __x(__ull2half_rn(x).__x) {}
__device__ inline __half &__half::operator=(unsigned long long x) { return *this = __ull2half_rn(x); }
__device__ inline __half::operator unsigned long long() const { return (unsigned long long)__half2ull_rz(*this); }
__device__ inline __half::operator signed char() const { return __half2char_rz(*this); }
__device__ inline __half::operator char() const { return (char)__half2char_rz(*this); }
__device__ inline __half::operator unsigned char() const { return __half2uchar_rz(*this); }

// Pairs.
__WARPSMITH_DEVICE __half2 __floats2half2_rn(float x, float y) {
    return __half2(__float2half_rn(x), __float2half_rn(y));
}
__WARPSMITH_DEVICE __half2 __float2half2_rn(float x) { return __floats2half2_rn(x, x); }
__WARPSMITH_DEVICE __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__WARPSMITH_DEVICE float2 __half22float2(__half2 a) { return float2{__half2float(a.x), __half2float(a.y)}; }
__WARPSMITH_DEVICE float __low2float(__half2 a) { return __half2float(a.x); }
__WARPSMITH_DEVICE float __high2float(__half2 a) { return __half2float(a.y); }
__WARPSMITH_DEVICE __half __low2half(__half2 a) { return a.x; }
__WARPSMITH_DEVICE __half __high2half(__half2 a) { return a.y; }
__WARPSMITH_DEVICE __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__WARPSMITH_DEVICE __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__WARPSMITH_DEVICE __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__WARPSMITH_DEVICE __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__WARPSMITH_DEVICE __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__WARPSMITH_DEVICE __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
__WARPSMITH_DEVICE __half2 __half2half2(__half a) { return __half2(a, a); }
__WARPSMITH_DEVICE __half2 make_half2(__half a, __half b) { return __half2(a, b); }

// Arithmetic.
#define __WARPSMITH_BINARY1(name, instruction)                                              \
    __WARPSMITH_DEVICE __half name(__half a, __half b) {                                              \
        unsigned short bits;                                                                  \
        asm(instruction " %0, %1, %2;" : "=h"(bits) : "h"(a.__x), "h"(b.__x));                \
        return __warpsmith_half(bits);                                                        \
    }
#define __WARPSMITH_BINARY2(name, instruction)                                              \
    __WARPSMITH_DEVICE __half2 name(__half2 a, __half2 b) {                                           \
        unsigned word;                                                                        \
        asm(instruction " %0, %1, %2;" : "=r"(word) : "r"(__warpsmith_word(a)), "r"(__warpsmith_word(b))); \
        return __warpsmith_half2(word);                                                        \
    }
#define __WARPSMITH_TERNARY1(name, instruction)                                             \
    __WARPSMITH_DEVICE __half name(__half a, __half b, __half c) {                                       \
        unsigned short bits;                                                                  \
        asm(instruction " %0, %1, %2, %3;" : "=h"(bits) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
        return __warpsmith_half(bits);                                                        \
    }
#define __WARPSMITH_TERNARY2(name, instruction)                                             \
    __WARPSMITH_DEVICE __half2 name(__half2 a, __half2 b, __half2 c) {                                   \
        unsigned word;                                                                        \
        asm(instruction " %0, %1, %2, %3;"                                                    \
            : "=r"(word) : "r"(__warpsmith_word(a)), "r"(__warpsmith_word(b)), "r"(__warpsmith_word(c))); \
        return __warpsmith_half2(word);                                                        \
    }

__WARPSMITH_BINARY1(__hadd, "add.f16")
__WARPSMITH_BINARY1(__hadd_rn, "add.rn.f16")
__WARPSMITH_BINARY1(__hadd_sat, "add.sat.f16")
__WARPSMITH_BINARY2(__hadd2, "add.f16x2")
__WARPSMITH_BINARY2(__hadd2_rn, "add.rn.f16x2")
__WARPSMITH_BINARY2(__hadd2_sat, "add.sat.f16x2")
__WARPSMITH_BINARY1(__hsub, "sub.f16")
__WARPSMITH_BINARY1(__hsub_rn, "sub.rn.f16")
__WARPSMITH_BINARY1(__hsub_sat, "sub.sat.f16")
__WARPSMITH_BINARY2(__hsub2, "sub.f16x2")
__WARPSMITH_BINARY2(__hsub2_rn, "sub.rn.f16x2")
__WARPSMITH_BINARY2(__hsub2_sat, "sub.sat.f16x2")
__WARPSMITH_BINARY1(__hmul, "mul.f16")
__WARPSMITH_BINARY1(__hmul_rn, "mul.rn.f16")
__WARPSMITH_BINARY1(__hmul_sat, "mul.sat.f16")
__WARPSMITH_BINARY2(__hmul2, "mul.f16x2")
__WARPSMITH_BINARY2(__hmul2_rn, "mul.rn.f16x2")
__WARPSMITH_BINARY2(__hmul2_sat, "mul.sat.f16x2")
__WARPSMITH_TERNARY1(__hfma, "fma.rn.f16")
__WARPSMITH_TERNARY1(__hfma_sat, "fma.rn.sat.f16")
__WARPSMITH_TERNARY2(__hfma2, "fma.rn.f16x2")
__WARPSMITH_TERNARY2(__hfma2_sat, "fma.rn.sat.f16x2")
#if __CUDA_ARCH__ >= 800
__WARPSMITH_TERNARY1(__hfma_relu, "fma.rn.relu.f16")
__WARPSMITH_TERNARY2(__hfma2_relu, "fma.rn.relu.f16x2")
#endif
__WARPSMITH_DEVICE __half __hneg(__half a) {
    unsigned short bits;
    asm("neg.f16 %0, %1;" : "=h"(bits) : "h"(a.__x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE __half2 __hneg2(__half2 a) {
    unsigned word;
    asm("neg.f16x2 %0, %1;" : "=r"(word) : "r"(__warpsmith_word(a)));
    return __warpsmith_half2(word);
}
__WARPSMITH_DEVICE __half __habs(__half a) {
    unsigned short bits;
    asm("abs.f16 %0, %1;" : "=h"(bits) : "h"(a.__x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE __half2 __habs2(__half2 a) {
    unsigned word;
    asm("abs.f16x2 %0, %1;" : "=r"(word) : "r"(__warpsmith_word(a)));
    return __warpsmith_half2(word);
}
__WARPSMITH_DEVICE __half __hdiv(__half a, __half b) { return __float2half_rn(__half2float(a) / __half2float(b)); }
__WARPSMITH_DEVICE __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
// A product of complex numbers, x + iy, added to another.
__WARPSMITH_DEVICE __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
    __half real = __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x));
    __half imaginary = __hfma(a.y, b.x, __hfma(a.x, b.y, c.y));
    return __half2(real, imaginary);
}

// Comparisons; those with `u` are true of NaN.
#define __WARPSMITH_COMPARISON(name)                                                                                        \
    __WARPSMITH_DEVICE bool __h##name(__half a, __half b) {                                                                 \
        unsigned short holds;                                                                                               \
        asm("{ .reg .pred p; setp." #name ".f16 p, %1, %2; selp.u16 %0, 1, 0, p; }" : "=h"(holds) : "h"(a.__x), "h"(b.__x)); \
        return holds != 0;                                                                                                  \
    }                                                                                                                       \
    __WARPSMITH_DEVICE unsigned __h##name##2_mask(__half2 a, __half2 b) {                                                   \
        unsigned mask;                                                                                                      \
        asm("set." #name ".u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(__warpsmith_word(a)), "r"(__warpsmith_word(b)));       \
        return mask;                                                                                                        \
    }                                                                                                                       \
    __WARPSMITH_DEVICE bool __hb##name##2(__half2 a, __half2 b) { return __h##name##2_mask(a, b) == 0xffffffffu; }          \
    __WARPSMITH_DEVICE __half2 __h##name##2(__half2 a, __half2 b) {                                                         \
        return __warpsmith_half2(__h##name##2_mask(a, b) & 0x3c003c00u);                                                    \
    }
__WARPSMITH_COMPARISON(eq)
__WARPSMITH_COMPARISON(ne)
__WARPSMITH_COMPARISON(le)
__WARPSMITH_COMPARISON(ge)
__WARPSMITH_COMPARISON(lt)
__WARPSMITH_COMPARISON(gt)
__WARPSMITH_COMPARISON(equ)
__WARPSMITH_COMPARISON(neu)
__WARPSMITH_COMPARISON(leu)
__WARPSMITH_COMPARISON(geu)
__WARPSMITH_COMPARISON(ltu)
__WARPSMITH_COMPARISON(gtu)
#undef __WARPSMITH_COMPARISON
__WARPSMITH_DEVICE bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
__WARPSMITH_DEVICE int __hisinf(__half a) { return a.__x == 0x7c00 ? 1 : a.__x == (0x7c00 | 0x8000) ? -1 : 0; }
__WARPSMITH_DEVICE __half2 __hisnan2(__half2 a) {
    return __half2(__warpsmith_half(__hisnan(a.x) ? 0x3c00 : 0), __warpsmith_half(__hisnan(a.y) ? 0x3c00 : 0));
}

#if __CUDA_ARCH__ >= 800
__WARPSMITH_BINARY1(__hmin, "min.f16")
__WARPSMITH_BINARY1(__hmin_nan, "min.NaN.f16")
__WARPSMITH_BINARY2(__hmin2, "min.f16x2")
__WARPSMITH_BINARY2(__hmin2_nan, "min.NaN.f16x2")
__WARPSMITH_BINARY1(__hmax, "max.f16")
__WARPSMITH_BINARY1(__hmax_nan, "max.NaN.f16")
__WARPSMITH_BINARY2(__hmax2, "max.f16x2")
__WARPSMITH_BINARY2(__hmax2_nan, "max.NaN.f16x2")
#else
__WARPSMITH_DEVICE __half __hmin(__half a, __half b) { return __float2half_rn(__builtin_fminf(__half2float(a), __half2float(b))); }
__WARPSMITH_DEVICE __half __hmin_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __warpsmith_half(0x7fff) : __hmin(a, b); }
__WARPSMITH_DEVICE __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__WARPSMITH_DEVICE __half2 __hmin2_nan(__half2 a, __half2 b) { return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
__WARPSMITH_DEVICE __half __hmax(__half a, __half b) { return __float2half_rn(__builtin_fmaxf(__half2float(a), __half2float(b))); }
__WARPSMITH_DEVICE __half __hmax_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __warpsmith_half(0x7fff) : __hmax(a, b); }
__WARPSMITH_DEVICE __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__WARPSMITH_DEVICE __half2 __hmax2_nan(__half2 a, __half2 b) { return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
#endif

#undef __WARPSMITH_BINARY1
#undef __WARPSMITH_BINARY2
#undef __WARPSMITH_TERNARY1
#undef __WARPSMITH_TERNARY2

// Functions, computed in float. Square roots and reciprocals are approximations there, as in the headers of the toolkit: their error is far below half precision.
__WARPSMITH_DEVICE float __warpsmith_approximate_sqrt(float x) {
    float result;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
__WARPSMITH_DEVICE float __warpsmith_approximate_reciprocal(float x) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
#define __WARPSMITH_FUNCTION(name, value)                                                  \
    __WARPSMITH_DEVICE __half h##name(__half a) {                                                 \
        float x = __half2float(a);                                                                    \
        return __float2half_rn(value);                                                       \
    }                                                                                       \
    __WARPSMITH_DEVICE __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
__WARPSMITH_FUNCTION(sqrt, __warpsmith_approximate_sqrt(x))
__WARPSMITH_FUNCTION(rsqrt, __nvvm_rsqrt_approx_f(x))
__WARPSMITH_FUNCTION(rcp, __warpsmith_approximate_reciprocal(x))
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
// The machine's own hyperbolic tangent; the host has none.
#if __CUDA_ARCH__ >= 750
__WARPSMITH_DEVICE __half htanh_approx(__half a) {
    unsigned short bits;
    asm("tanh.approx.f16 %0, %1;" : "=h"(bits) : "h"(a.__x));
    return __warpsmith_half(bits);
}
__WARPSMITH_DEVICE __half2 h2tanh_approx(__half2 a) {
    unsigned word;
    asm("tanh.approx.f16x2 %0, %1;" : "=r"(word) : "r"(__warpsmith_word(a)));
    return __warpsmith_half2(word);
}
#else
__WARPSMITH_DEVICE __half htanh_approx(__half a) { return htanh(a); }
__WARPSMITH_DEVICE __half2 h2tanh_approx(__half2 a) { return h2tanh(a); }
#endif

// Shuffles.
__WARPSMITH_DEVICE __half2 __shfl_sync(unsigned mask, __half2 value, int lane, int width = 32) {
    return __warpsmith_half2(__shfl_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __half __shfl_sync(unsigned mask, __half value, int lane, int width = 32) {
    return __warpsmith_half((unsigned short)__shfl_sync(mask, (unsigned)value.__x, lane, width));
}
__WARPSMITH_DEVICE __half2 __shfl_up_sync(unsigned mask, __half2 value, unsigned lane, int width = 32) {
    return __warpsmith_half2(__shfl_up_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __half __shfl_up_sync(unsigned mask, __half value, unsigned lane, int width = 32) {
    return __warpsmith_half((unsigned short)__shfl_up_sync(mask, (unsigned)value.__x, lane, width));
}
__WARPSMITH_DEVICE __half2 __shfl_down_sync(unsigned mask, __half2 value, unsigned lane, int width = 32) {
    return __warpsmith_half2(__shfl_down_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __half __shfl_down_sync(unsigned mask, __half value, unsigned lane, int width = 32) {
    return __warpsmith_half((unsigned short)__shfl_down_sync(mask, (unsigned)value.__x, lane, width));
}
__WARPSMITH_DEVICE __half2 __shfl_xor_sync(unsigned mask, __half2 value, int lane, int width = 32) {
    return __warpsmith_half2(__shfl_xor_sync(mask, __warpsmith_word(value), lane, width));
}
__WARPSMITH_DEVICE __half __shfl_xor_sync(unsigned mask, __half value, int lane, int width = 32) {
    return __warpsmith_half((unsigned short)__shfl_xor_sync(mask, (unsigned)value.__x, lane, width));
}

// Loads and stores with cache operators.
__WARPSMITH_DEVICE __half __ldg(const __half *p) { return __warpsmith_half(__ldg((const unsigned short *)p)); }
__WARPSMITH_DEVICE __half2 __ldg(const __half2 *p) { return __warpsmith_half2(__ldg((const unsigned *)p)); }
__WARPSMITH_DEVICE __half __ldcg(const __half *p) { return __warpsmith_half(__ldcg((const unsigned short *)p)); }
__WARPSMITH_DEVICE __half2 __ldcg(const __half2 *p) { return __warpsmith_half2(__ldcg((const unsigned *)p)); }
__WARPSMITH_DEVICE __half __ldca(const __half *p) { return __warpsmith_half(__ldca((const unsigned short *)p)); }
__WARPSMITH_DEVICE __half2 __ldca(const __half2 *p) { return __warpsmith_half2(__ldca((const unsigned *)p)); }
__WARPSMITH_DEVICE __half __ldcs(const __half *p) { return __warpsmith_half(__ldcs((const unsigned short *)p)); }
__WARPSMITH_DEVICE __half2 __ldcs(const __half2 *p) { return __warpsmith_half2(__ldcs((const unsigned *)p)); }
__WARPSMITH_DEVICE __half __ldlu(const __half *p) { return __warpsmith_half(__ldlu((const unsigned short *)p)); }
__WARPSMITH_DEVICE __half2 __ldlu(const __half2 *p) { return __warpsmith_half2(__ldlu((const unsigned *)p)); }
__WARPSMITH_DEVICE __half __ldcv(const __half *p) { return __warpsmith_half(__ldcv((const unsigned short *)p)); }
__WARPSMITH_DEVICE __half2 __ldcv(const __half2 *p) { return __warpsmith_half2(__ldcv((const unsigned *)p)); }
__WARPSMITH_DEVICE void __stwb(__half *p, __half value) { __stwb((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stwb(__half2 *p, __half2 value) { __stwb((unsigned *)p, __warpsmith_word(value)); }
__WARPSMITH_DEVICE void __stcg(__half *p, __half value) { __stcg((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stcg(__half2 *p, __half2 value) { __stcg((unsigned *)p, __warpsmith_word(value)); }
__WARPSMITH_DEVICE void __stcs(__half *p, __half value) { __stcs((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stcs(__half2 *p, __half2 value) { __stcs((unsigned *)p, __warpsmith_word(value)); }
__WARPSMITH_DEVICE void __stwt(__half *p, __half value) { __stwt((unsigned short *)p, value.__x); }
__WARPSMITH_DEVICE void __stwt(__half2 *p, __half2 value) { __stwt((unsigned *)p, __warpsmith_word(value)); }

// Atomic sums.
__WARPSMITH_DEVICE __half atomicAdd(__half *address, __half value) {
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(value.__x) : "memory");
    return __warpsmith_half(old);
}
__WARPSMITH_DEVICE __half2 atomicAdd(__half2 *address, __half2 value) {
    unsigned old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(__warpsmith_word(value)) : "memory");
    return __warpsmith_half2(old);
}

// Operators.
#ifndef __CUDA_NO_HALF_OPERATORS__
__WARPSMITH_DEVICE __half operator+(const __half &a, const __half &b) { return __hadd(a, b); }
__WARPSMITH_DEVICE __half &operator+=(__half &a, const __half &b) { return a = __hadd(a, b); }
__WARPSMITH_DEVICE __half operator-(const __half &a, const __half &b) { return __hsub(a, b); }
__WARPSMITH_DEVICE __half &operator-=(__half &a, const __half &b) { return a = __hsub(a, b); }
__WARPSMITH_DEVICE __half operator*(const __half &a, const __half &b) { return __hmul(a, b); }
__WARPSMITH_DEVICE __half &operator*=(__half &a, const __half &b) { return a = __hmul(a, b); }
__WARPSMITH_DEVICE __half operator/(const __half &a, const __half &b) { return __hdiv(a, b); }
__WARPSMITH_DEVICE __half &operator/=(__half &a, const __half &b) { return a = __hdiv(a, b); }
__WARPSMITH_DEVICE __half operator+(const __half &a) { return a; }
__WARPSMITH_DEVICE __half operator-(const __half &a) { return __hneg(a); }
__WARPSMITH_DEVICE __half &operator++(__half &a) { return a = __hadd(a, __warpsmith_half(0x3c00)); }
__WARPSMITH_DEVICE __half &operator--(__half &a) { return a = __hsub(a, __warpsmith_half(0x3c00)); }
__WARPSMITH_DEVICE __half operator++(__half &a, int) {
    __half before = a;
    ++a;
    return before;
}
__WARPSMITH_DEVICE __half operator--(__half &a, int) {
    __half before = a;
    --a;
    return before;
}
__WARPSMITH_DEVICE bool operator==(const __half &a, const __half &b) { return __heq(a, b); }
__WARPSMITH_DEVICE bool operator!=(const __half &a, const __half &b) { return __hneu(a, b); }
__WARPSMITH_DEVICE bool operator<(const __half &a, const __half &b) { return __hlt(a, b); }
__WARPSMITH_DEVICE bool operator>(const __half &a, const __half &b) { return __hgt(a, b); }
__WARPSMITH_DEVICE bool operator<=(const __half &a, const __half &b) { return __hle(a, b); }
__WARPSMITH_DEVICE bool operator>=(const __half &a, const __half &b) { return __hge(a, b); }
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
__WARPSMITH_DEVICE __half2 operator+(const __half2 &a, const __half2 &b) { return __hadd2(a, b); }
__WARPSMITH_DEVICE __half2 &operator+=(__half2 &a, const __half2 &b) { return a = __hadd2(a, b); }
__WARPSMITH_DEVICE __half2 operator-(const __half2 &a, const __half2 &b) { return __hsub2(a, b); }
__WARPSMITH_DEVICE __half2 &operator-=(__half2 &a, const __half2 &b) { return a = __hsub2(a, b); }
__WARPSMITH_DEVICE __half2 operator*(const __half2 &a, const __half2 &b) { return __hmul2(a, b); }
__WARPSMITH_DEVICE __half2 &operator*=(__half2 &a, const __half2 &b) { return a = __hmul2(a, b); }
__WARPSMITH_DEVICE __half2 operator/(const __half2 &a, const __half2 &b) { return __h2div(a, b); }
__WARPSMITH_DEVICE __half2 &operator/=(__half2 &a, const __half2 &b) { return a = __h2div(a, b); }
__WARPSMITH_DEVICE __half2 operator+(const __half2 &a) { return a; }
__WARPSMITH_DEVICE __half2 operator-(const __half2 &a) { return __hneg2(a); }
__WARPSMITH_DEVICE __half2 &operator++(__half2 &a) { return a = __hadd2(a, __warpsmith_half2(0x3c003c00u)); }
__WARPSMITH_DEVICE __half2 &operator--(__half2 &a) { return a = __hsub2(a, __warpsmith_half2(0x3c003c00u)); }
__WARPSMITH_DEVICE __half2 operator++(__half2 &a, int) {
    __half2 before = a;
    ++a;
    return before;
}
__WARPSMITH_DEVICE __half2 operator--(__half2 &a, int) {
    __half2 before = a;
    --a;
    return before;
}
__WARPSMITH_DEVICE bool operator==(const __half2 &a, const __half2 &b) { return __hbeq2(a, b); }
__WARPSMITH_DEVICE bool operator!=(const __half2 &a, const __half2 &b) { return __hbneu2(a, b); }
__WARPSMITH_DEVICE bool operator<(const __half2 &a, const __half2 &b) { return __hblt2(a, b); }
__WARPSMITH_DEVICE bool operator>(const __half2 &a, const __half2 &b) { return __hbgt2(a, b); }
__WARPSMITH_DEVICE bool operator<=(const __half2 &a, const __half2 &b) { return __hble2(a, b); }
__WARPSMITH_DEVICE bool operator>=(const __half2 &a, const __half2 &b) { return __hbge2(a, b); }
#endif
