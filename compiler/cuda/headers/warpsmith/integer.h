// Integer intrinsics, minimum and maximum.
#pragma once

__WARPSMITH_DEVICE int __popc(unsigned x) { return __nvvm_popc_i((int)x); }
__WARPSMITH_DEVICE int __popcll(unsigned long long x) { return __nvvm_popc_ll((long long)x); }
__WARPSMITH_DEVICE int __clz(int x) { return __nvvm_clz_i(x); }
__WARPSMITH_DEVICE int __clzll(long long x) { return __nvvm_clz_ll(x); }
__WARPSMITH_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
__WARPSMITH_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
__WARPSMITH_DEVICE unsigned short __nv_bswap16(unsigned short x) { return __nv_bswap16_impl(x); }
__WARPSMITH_DEVICE unsigned __nv_bswap32(unsigned x) { return __nv_bswap32_impl(x); }
__WARPSMITH_DEVICE unsigned long long __nv_bswap64(unsigned long long x) { return __nv_bswap64_impl(x); }
__WARPSMITH_DEVICE unsigned __brev(unsigned x) { return __nvvm_brev32(x); }
__WARPSMITH_DEVICE unsigned long long __brevll(unsigned long long x) { return __nvvm_brev64(x); }
__WARPSMITH_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) { return __nvvm_prmt(x, y, selector & 0x7777); }
__WARPSMITH_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) { return __nvvm_fns(mask, base, offset); }

__WARPSMITH_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
__WARPSMITH_DEVICE unsigned __umulhi(unsigned x, unsigned y) { return __nvvm_mulhi_ui(x, y); }
__WARPSMITH_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
__WARPSMITH_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
__WARPSMITH_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
__WARPSMITH_DEVICE unsigned __umul24(unsigned x, unsigned y) { return __nvvm_mul24_ui(x, y); }
__WARPSMITH_DEVICE unsigned __sad(int x, int y, unsigned z) { return __nvvm_sad_i(x, y, z); }
__WARPSMITH_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) { return __nvvm_sad_ui(x, y, z); }
// Averages without overflow, rounded down and up.
__WARPSMITH_DEVICE int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__WARPSMITH_DEVICE int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__WARPSMITH_DEVICE unsigned __uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
__WARPSMITH_DEVICE unsigned __urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }

__WARPSMITH_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}
__WARPSMITH_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}
__WARPSMITH_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}
__WARPSMITH_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    unsigned result;
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
    return result;
}

// Dot products of bytes, and of halves with bytes, added to a sum.
__WARPSMITH_DEVICE int __dp4a(int a, int b, int c) {
    int result;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
__WARPSMITH_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
__WARPSMITH_DEVICE int __dp2a_lo(int a, int b, int c) {
    int result;
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
__WARPSMITH_DEVICE int __dp2a_hi(int a, int b, int c) {
    int result;
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
__WARPSMITH_DEVICE unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
__WARPSMITH_DEVICE unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
__WARPSMITH_DEVICE int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__WARPSMITH_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
__WARPSMITH_DEVICE int __dp2a_lo(short2 a, char4 b, int c) {
    return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__WARPSMITH_DEVICE int __dp2a_hi(short2 a, char4 b, int c) {
    return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__WARPSMITH_DEVICE unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_lo(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
__WARPSMITH_DEVICE unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_hi(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

// Bits [start, start + length) of a word, and a word with them replaced.
__WARPSMITH_DEVICE unsigned __bfe_u32(unsigned x, unsigned start, unsigned length) {
    unsigned result;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(start), "r"(length));
    return result;
}
__WARPSMITH_DEVICE int __bfe_s32(int x, unsigned start, unsigned length) {
    int result;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(start), "r"(length));
    return result;
}

// Minimum and maximum; of signed and unsigned operands the unsigned one.
#define __WARPSMITH_EXTREMES(type, a, b)                                        \
    __WARPSMITH_BOTH type min(a x, b y) { return (type)x < (type)y ? (type)x : (type)y; } \
    __WARPSMITH_BOTH type max(a x, b y) { return (type)x > (type)y ? (type)x : (type)y; }
__WARPSMITH_EXTREMES(int, int, int)
__WARPSMITH_EXTREMES(unsigned, unsigned, unsigned)
__WARPSMITH_EXTREMES(unsigned, int, unsigned)
__WARPSMITH_EXTREMES(unsigned, unsigned, int)
__WARPSMITH_EXTREMES(long, long, long)
__WARPSMITH_EXTREMES(unsigned long, unsigned long, unsigned long)
__WARPSMITH_EXTREMES(unsigned long, long, unsigned long)
__WARPSMITH_EXTREMES(unsigned long, unsigned long, long)
__WARPSMITH_EXTREMES(long long, long long, long long)
__WARPSMITH_EXTREMES(unsigned long long, unsigned long long, unsigned long long)
__WARPSMITH_EXTREMES(unsigned long long, long long, unsigned long long)
__WARPSMITH_EXTREMES(unsigned long long, unsigned long long, long long)
#undef __WARPSMITH_EXTREMES
__WARPSMITH_BOTH float min(float x, float y) { return __builtin_fminf(x, y); }
__WARPSMITH_BOTH float max(float x, float y) { return __builtin_fmaxf(x, y); }
__WARPSMITH_BOTH double min(double x, double y) { return __builtin_fmin(x, y); }
__WARPSMITH_BOTH double max(double x, double y) { return __builtin_fmax(x, y); }
__WARPSMITH_BOTH double min(float x, double y) { return __builtin_fmin((double)x, y); }
__WARPSMITH_BOTH double max(float x, double y) { return __builtin_fmax((double)x, y); }
__WARPSMITH_BOTH double min(double x, float y) { return __builtin_fmin(x, (double)y); }
__WARPSMITH_BOTH double max(double x, float y) { return __builtin_fmax(x, (double)y); }
__WARPSMITH_BOTH unsigned umin(unsigned x, unsigned y) { return x < y ? x : y; }
__WARPSMITH_BOTH unsigned umax(unsigned x, unsigned y) { return x > y ? x : y; }
__WARPSMITH_BOTH long long llmin(long long x, long long y) { return x < y ? x : y; }
__WARPSMITH_BOTH long long llmax(long long x, long long y) { return x > y ? x : y; }
__WARPSMITH_BOTH unsigned long long ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
__WARPSMITH_BOTH unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x > y ? x : y; }
