// Extremes of sums, of three operands, and not below zero.
#pragma once
#include <warpsmith/simd.h>

__WARPSMITH_DEVICE int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
__WARPSMITH_DEVICE unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmins2(__vmins2(a, b), c); }
__WARPSMITH_DEVICE int __viaddmin_s32(int a, int b, int c) { return min((int)((unsigned)a + (unsigned)b), c); }
__WARPSMITH_DEVICE unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) { return __vmins2(__vadd2(a, b), c); }
__WARPSMITH_DEVICE int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
__WARPSMITH_DEVICE unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(a, b), c); }
__WARPSMITH_DEVICE int __viaddmax_s32(int a, int b, int c) { return max((int)((unsigned)a + (unsigned)b), c); }
__WARPSMITH_DEVICE unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vadd2(a, b), c); }
__WARPSMITH_DEVICE unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(min(a, b), c); }
__WARPSMITH_DEVICE unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vminu2(a, b), c); }
__WARPSMITH_DEVICE unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min((unsigned)((unsigned)a + (unsigned)b), c); }
__WARPSMITH_DEVICE unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vadd2(a, b), c); }
__WARPSMITH_DEVICE unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return max(max(a, b), c); }
__WARPSMITH_DEVICE unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vmaxu2(a, b), c); }
__WARPSMITH_DEVICE unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return max((unsigned)((unsigned)a + (unsigned)b), c); }
__WARPSMITH_DEVICE unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vadd2(a, b), c); }
__WARPSMITH_DEVICE int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
__WARPSMITH_DEVICE int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }
__WARPSMITH_DEVICE int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }
__WARPSMITH_DEVICE unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmins2(a, b), 0); }
__WARPSMITH_DEVICE unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vimin3_s16x2(a, b, c), 0); }
__WARPSMITH_DEVICE unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__viaddmin_s16x2(a, b, c), 0); }
__WARPSMITH_DEVICE int __vibmin_s32(int a, int b, bool *first) { *first = a <= b; return min(a, b); }
__WARPSMITH_DEVICE unsigned __vibmin_u32(unsigned a, unsigned b, bool *first) { *first = a <= b; return min(a, b); }
__WARPSMITH_DEVICE int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
__WARPSMITH_DEVICE int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
__WARPSMITH_DEVICE int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
__WARPSMITH_DEVICE unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmaxs2(a, b), 0); }
__WARPSMITH_DEVICE unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vimax3_s16x2(a, b, c), 0); }
__WARPSMITH_DEVICE unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__viaddmax_s16x2(a, b, c), 0); }
__WARPSMITH_DEVICE int __vibmax_s32(int a, int b, bool *first) { *first = a >= b; return max(a, b); }
__WARPSMITH_DEVICE unsigned __vibmax_u32(unsigned a, unsigned b, bool *first) { *first = a >= b; return max(a, b); }
__WARPSMITH_DEVICE unsigned __vibmax_s16x2(unsigned a, unsigned b, bool *upper, bool *lower) {
    *upper = (short)(a >> 16) >= (short)(b >> 16);
    *lower = (short)a >= (short)b;
    return __vmaxs2(a, b);
}
__WARPSMITH_DEVICE unsigned __vibmin_s16x2(unsigned a, unsigned b, bool *upper, bool *lower) {
    *upper = (short)(a >> 16) <= (short)(b >> 16);
    *lower = (short)a <= (short)b;
    return __vmins2(a, b);
}
__WARPSMITH_DEVICE unsigned __vibmax_u16x2(unsigned a, unsigned b, bool *upper, bool *lower) {
    *upper = (unsigned short)(a >> 16) >= (unsigned short)(b >> 16);
    *lower = (unsigned short)a >= (unsigned short)b;
    return __vmaxu2(a, b);
}
__WARPSMITH_DEVICE unsigned __vibmin_u16x2(unsigned a, unsigned b, bool *upper, bool *lower) {
    *upper = (unsigned short)(a >> 16) <= (unsigned short)(b >> 16);
    *lower = (unsigned short)a <= (unsigned short)b;
    return __vminu2(a, b);
}
