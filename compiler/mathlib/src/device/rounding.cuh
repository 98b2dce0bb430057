// Rounding to integers, remainders, and the parts of a number, float and double.

#pragma once
#include "common.cuh"

FUNCTION float __nv_floorf(float x) { return __builtin_floorf(x); }
FUNCTION float __nv_ceilf(float x) { return __builtin_ceilf(x); }
FUNCTION float __nv_truncf(float x) { return __builtin_truncf(x); }
FUNCTION float __nv_rintf(float x) { return __builtin_rintf(x); }
FUNCTION float __nv_nearbyintf(float x) { return __builtin_rintf(x); }
FUNCTION double __nv_floor(double x) { return __builtin_floor(x); }
FUNCTION double __nv_ceil(double x) { return __builtin_ceil(x); }
FUNCTION double __nv_trunc(double x) { return __builtin_trunc(x); }
FUNCTION double __nv_rint(double x) { return __builtin_rint(x); }
FUNCTION double __nv_nearbyint(double x) { return __builtin_rint(x); }

// Halves go away from zero.
FUNCTION float __nv_roundf(float x) {
    float t = __builtin_truncf(x);
    float r = magnitude(x - t) >= 0.5f ? t + with_sign(1.0f, x) : t;
    return with_sign(r, x);
}
FUNCTION double __nv_round(double x) {
    double t = __builtin_trunc(x);
    double r = magnitude(x - t) >= 0.5 ? t + with_sign(1.0, x) : t;
    return with_sign(r, x);
}
FUNCTION int __nv_lroundf(float x) { return (int)__nv_roundf(x); }
FUNCTION long long __nv_llroundf(float x) { return (long long)__nv_roundf(x); }
FUNCTION int __nv_lrintf(float x) { return (int)__builtin_rintf(x); }
FUNCTION long long __nv_llrintf(float x) { return (long long)__builtin_rintf(x); }
FUNCTION int __nv_lround(double x) { return (int)__nv_round(x); }
FUNCTION long long __nv_llround(double x) { return (long long)__nv_round(x); }
FUNCTION int __nv_lrint(double x) { return (int)__builtin_rint(x); }
FUNCTION long long __nv_llrint(double x) { return (long long)__builtin_rint(x); }

FUNCTION float __nv_fabsf(float x) { return magnitude(x); }
FUNCTION double __nv_fabs(double x) { return magnitude(x); }
FUNCTION float __nv_copysignf(float x, float y) { return with_sign(x, y); }
FUNCTION double __nv_copysign(double x, double y) { return with_sign(x, y); }
FUNCTION float __nv_fminf(float x, float y) { return __builtin_fminf(x, y); }
FUNCTION float __nv_fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
FUNCTION double __nv_fmin(double x, double y) { return __builtin_fmin(x, y); }
FUNCTION double __nv_fmax(double x, double y) { return __builtin_fmax(x, y); }
FUNCTION float __nv_fmaf(float x, float y, float z) { return fused(x, y, z); }
FUNCTION double __nv_fma(double x, double y, double z) { return fused(x, y, z); }
FUNCTION float __nv_sqrtf(float x) { return root(x); }
FUNCTION double __nv_sqrt(double x) { return root(x); }
FUNCTION float __nv_fdimf(float x, float y) { return x != x || y != y ? x + y : x > y ? x - y : 0.0f; }
FUNCTION double __nv_fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0.0; }
FUNCTION int __nv_isnanf(float x) { return x != x; }
FUNCTION int __nv_isnand(double x) { return x != x; }
FUNCTION int __nv_isinff(float x) { return magnitude(x) == INFINITY_F; }
FUNCTION int __nv_isinfd(double x) { return magnitude(x) == INFINITY_D; }
FUNCTION int __nv_finitef(float x) { return magnitude(x) < INFINITY_F; }
FUNCTION int __nv_isfinited(double x) { return magnitude(x) < INFINITY_D; }
FUNCTION int __nv_signbitf(float x) { return (int)(bits(x) >> 31); }
FUNCTION int __nv_signbitd(double x) { return (int)(bits(x) >> 63); }
FUNCTION float __nv_nanf(const signed char *) { return NAN_F; }
FUNCTION double __nv_nan(const signed char *) { return NAN_D; }

FUNCTION float __nv_modff(float x, float *whole) {
    float t = __builtin_truncf(x);
    *whole = t;
    return with_sign(magnitude(x) == INFINITY_F ? 0.0f : x - t, x);
}
FUNCTION double __nv_modf(double x, double *whole) {
    double t = __builtin_trunc(x);
    *whole = t;
    return with_sign(magnitude(x) == INFINITY_D ? 0.0 : x - t, x);
}
FUNCTION float __nv_frexpf(float x, int *exponent) {
    float a = magnitude(x);
    if (!(a > 0.0f && a < INFINITY_F)) {
        *exponent = 0;
        return x + x;
    }
    int shift = a < 0x1p-126f ? 24 : 0;
    unsigned b = bits(shift ? x * 16777216.0f : x);
    *exponent = (int)((b >> 23) & 255u) - 126 - shift;
    return from_bits((b & 0x807fffffu) | 0x3f000000u);
}
FUNCTION double __nv_frexp(double x, int *exponent) {
    double a = magnitude(x);
    if (!(a > 0.0 && a < INFINITY_D)) {
        *exponent = 0;
        return x + x;
    }
    int shift = a < 0x1p-1022 ? 54 : 0;
    unsigned long long b = bits(shift ? x * 0x1p54 : x);
    *exponent = (int)((b >> 52) & 0x7ff) - 1022 - shift;
    return from_bits((b & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}
FUNCTION float __nv_ldexpf(float x, int n) {
    n = n < -300 ? -300 : n > 300 ? 300 : n;
    if (n < -126) {
        // The last factor rounds, those before it are exact.
        float y = x * (n < -252 ? 0x1p-24f : 1.0f);
        n = n < -252 ? n + 24 : n;
        if (magnitude(x) >= 0x1p27f || n >= -149)
            return x * power_of_two_f(n / 2) * power_of_two_f(n - n / 2);
        return y * power_of_two_f(n + 126 < -126 ? -126 : n + 126) * 0x1p-126f;
    }
    if (n > 127)
        return x * 0x1p127f * power_of_two_f(n - 127 > 127 ? 127 : n - 127) * power_of_two_f(n - 127 > 127 ? n - 254 : 0);
    return x * power_of_two_f(n);
}
FUNCTION double __nv_ldexp(double x, int n) {
    n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
    while (n > 1023) {
        x *= 0x1p1023;
        n -= 1023;
    }
    // Steps that leave what is above the subnormal range exact: only the last factor can round.
    while (n < -1022) {
        double y = x * 0x1p-969;
        if (magnitude(y) < 0x1p-1021 && magnitude(x) < 0x1p-52)
            return magnitude(x) < 0x1p-52 && n < -1100 ? x * 0x1p-1022 * 0x1p-100 : x * power_of_two_d(n + 1022 < -1022 ? -1022 : n + 1022) * 0x1p-1022;
        x = y;
        n += 969;
    }
    return x * power_of_two_d(n);
}
FUNCTION float __nv_scalbnf(float x, int n) { return __nv_ldexpf(x, n); }
FUNCTION double __nv_scalbn(double x, int n) { return __nv_ldexp(x, n); }
FUNCTION int __nv_ilogbf(float x) {
    float a = magnitude(x);
    if (!(a > 0.0f && a < INFINITY_F))
        return a == INFINITY_F ? 0x7fffffff : (int)0x80000000;
    int shift = a < 0x1p-126f ? 24 : 0;
    return (int)(bits(shift ? a * 16777216.0f : a) >> 23) - 127 - shift;
}
FUNCTION int __nv_ilogb(double x) {
    double a = magnitude(x);
    if (!(a > 0.0 && a < INFINITY_D))
        return a == INFINITY_D ? 0x7fffffff : (int)0x80000000;
    int shift = a < 0x1p-1022 ? 54 : 0;
    return (int)(bits(shift ? a * 0x1p54 : a) >> 52) - 1023 - shift;
}
FUNCTION float __nv_logbf(float x) {
    float a = magnitude(x);
    return a == 0.0f ? -INFINITY_F : a < INFINITY_F ? (float)__nv_ilogbf(x) : a;
}
FUNCTION double __nv_logb(double x) {
    double a = magnitude(x);
    return a == 0.0 ? -INFINITY_D : a < INFINITY_D ? (double)__nv_ilogb(x) : a;
}
FUNCTION float __nv_nextafterf(float x, float y) {
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0f)
        return with_sign(from_bits(1u), y);
    return from_bits((x < y) == (x > 0.0f) ? bits(x) + 1u : bits(x) - 1u);
}
FUNCTION double __nv_nextafter(double x, double y) {
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0)
        return with_sign(from_bits(1ull), y);
    return from_bits((x < y) == (x > 0.0) ? bits(x) + 1ull : bits(x) - 1ull);
}

// A positive finite number as an integer times a power of two.
struct IntegerTimesPower { unsigned long long mantissa; int exponent; };
HELPER IntegerTimesPower parts(float a) {
    unsigned b = bits(a);
    IntegerTimesPower p;
    p.exponent = (int)(b >> 23);
    p.mantissa = p.exponent ? (b & 0x7fffffu) | 0x800000u : b;
    p.exponent = p.exponent ? p.exponent : 1;
    return p;
}
HELPER IntegerTimesPower parts(double a) {
    unsigned long long b = bits(a);
    IntegerTimesPower p;
    p.exponent = (int)(b >> 52);
    p.mantissa = p.exponent ? (b & 0xfffffffffffffull) | 0x10000000000000ull : b;
    p.exponent = p.exponent ? p.exponent : 1;
    return p;
}
// a modulo b, with the low bits of the quotient. `step` bits of the quotient are found at a time: mantissas leave so many free.
struct Remainder { unsigned long long rest; unsigned quotient; };
HELPER Remainder divide(IntegerTimesPower a, IntegerTimesPower b, int step) {
    Remainder r;
    r.quotient = (unsigned)(a.mantissa / b.mantissa);
    r.rest = a.mantissa % b.mantissa;
    for (int n = a.exponent - b.exponent; n > 0;) {
        int k = n < step ? n : step;
        unsigned long long t = r.rest << k;
        r.quotient = (k < 32 ? r.quotient << k : 0u) + (unsigned)(t / b.mantissa);
        r.rest = t % b.mantissa;
        n -= k;
    }
    return r;
}
// mantissa * 2^(exponent of a number with that biased exponent), exactly
HELPER float compose_f(unsigned long long m, int exponent) { return (float)m * power_of_two_f(exponent - 150 < -126 ? -126 : exponent - 150) * power_of_two_f(exponent - 150 < -126 ? exponent - 24 : 0); }
HELPER double compose_d(unsigned long long m, int exponent) { return (double)m * power_of_two_d(exponent - 1075 < -1022 ? -1022 : exponent - 1075) * power_of_two_d(exponent - 1075 < -1022 ? exponent - 53 : 0); }

FUNCTION float __nv_fmodf(float x, float y) {
    float a = magnitude(x), b = magnitude(y);
    if (!(a < INFINITY_F && b > 0.0f && b <= INFINITY_F))
        return a != a || b != b ? x + y : NAN_F;
    if (a < b)
        return x;
    IntegerTimesPower q = parts(b);
    return with_sign(compose_f(divide(parts(a), q, 39).rest, q.exponent), x);
}
FUNCTION double __nv_fmod(double x, double y) {
    double a = magnitude(x), b = magnitude(y);
    if (!(a < INFINITY_D && b > 0.0 && b <= INFINITY_D))
        return a != a || b != b ? x + y : NAN_D;
    if (a < b)
        return x;
    IntegerTimesPower q = parts(b);
    return with_sign(compose_d(divide(parts(a), q, 11).rest, q.exponent), x);
}
FUNCTION float __nv_remquof(float x, float y, int *quotient) {
    float a = magnitude(x), b = magnitude(y);
    *quotient = 0;
    if (!(a < INFINITY_F && b > 0.0f && b <= INFINITY_F))
        return a != a || b != b ? x + y : NAN_F;
    unsigned n = 0;
    float r = a;
    if (a >= b) {
        IntegerTimesPower q = parts(b);
        Remainder d = divide(parts(a), q, 31);
        n = d.quotient;
        r = compose_f(d.rest, q.exponent);
    }
    // r - b is exact where it is wanted; b / 2 may not be.
    float other = b - r;
    if (r > other || (r == other && (n & 1u))) {
        r = r - b;
        n += 1u;
    }
    int low = (int)(n & 0x7fffffffu);
    *quotient = ((bits(x) ^ bits(y)) >> 31) ? -low : low;
    return (bits(x) >> 31) ? -r : r;
}
FUNCTION double __nv_remquo(double x, double y, int *quotient) {
    double a = magnitude(x), b = magnitude(y);
    *quotient = 0;
    if (!(a < INFINITY_D && b > 0.0 && b <= INFINITY_D))
        return a != a || b != b ? x + y : NAN_D;
    unsigned n = 0;
    double r = a;
    if (a >= b) {
        IntegerTimesPower q = parts(b);
        Remainder d = divide(parts(a), q, 11);
        n = d.quotient;
        r = compose_d(d.rest, q.exponent);
    }
    double other = b - r;
    if (r > other || (r == other && (n & 1u))) {
        r = r - b;
        n += 1u;
    }
    int low = (int)(n & 0x7fffffffu);
    *quotient = ((bits(x) ^ bits(y)) >> 63) ? -low : low;
    return (bits(x) >> 63) ? -r : r;
}
FUNCTION float __nv_remainderf(float x, float y) {
    int n;
    return __nv_remquof(x, y, &n);
}
FUNCTION double __nv_remainder(double x, double y) {
    int n;
    return __nv_remquo(x, y, &n);
}
