// log, log2, log10, log1p, float and double; logb and ilogb are in rounding.cuh.

#pragma once
#include "common.cuh"

HELPER float polynomial_log_f(float x) {
    float p = 0x1.ea6054p-4f;
    p = fused(p, x, -0x1.fd1486p-4f);
    p = fused(p, x, 0x1.b935d6p-4f);
    p = fused(p, x, -0x1.f74ba6p-4f);
    p = fused(p, x, 0x1.24e7ep-3f);
    p = fused(p, x, -0x1.55788ap-3f);
    p = fused(p, x, 0x1.999818p-3f);
    p = fused(p, x, -0x1.ffffb4p-3f);
    p = fused(p, x, 0x1.555556p-2f);
    return p;
}
HELPER double polynomial_log_d(double x) {
    double p = 0x1.2b810a3e69fcdp-3;
    p = fused(p, x, 0x1.39fb19c296a55p-3);
    p = fused(p, x, 0x1.7462cd891117ep-3);
    p = fused(p, x, 0x1.c71c6290e3003p-3);
    p = fused(p, x, 0x1.2492492e2ea6bp-2);
    p = fused(p, x, 0x1.9999999995137p-2);
    p = fused(p, x, 0x1.5555555555558p-1);
    return p;
}

// (log(1 + f) - f + f^2 / 2) / f^3 for |f| <= 1/3.
HELPER float log_tail(float f) { return polynomial_log_f(f); }
// (2 artanh(s) - 2 s) / s^3 by z = s^2, for |s| <= 0.1716.
HELPER double artanh_tail(double z) { return polynomial_log_d(z); }

// x = 2^exponent * (1 + fraction), fraction in [-1/3, 1/3).
struct SplitF { float exponent, fraction; };
struct SplitD { int exponent; double fraction; };

HELPER SplitF split(float x) {
    SplitF s;
    float shift = 0.0f;
    if (x < 0x1p-126f) {
        x = x * 8388608.0f;
        shift = -23.0f;
    }
    unsigned e = (bits(x) - 0x3f2aaaabu) & 0xff800000u;
    s.fraction = from_bits(bits(x) - e) - 1.0f;
    s.exponent = fused((float)(int)e, 0x1p-23f, shift);
    return s;
}
// fraction in [sqrt(1/2) - 1, sqrt(2) - 1)
HELPER SplitD split(double x) {
    SplitD s;
    int shift = 0;
    if (x < 0x1p-1022) {
        x = x * 0x1p54;
        shift = -54;
    }
    int e = (int)((long long)(bits(x) - 0x3fe6a09e667f3bcdull) >> 52);
    s.fraction = from_bits(bits(x) - ((unsigned long long)(long long)e << 52)) - 1.0;
    s.exponent = e + shift;
    return s;
}

// What logarithms of zero, negative numbers, infinity and NaN are.
HELPER float log_special(float x) { return x == 0.0f ? -INFINITY_F : x < 0.0f ? NAN_F : x + x; }
HELPER double log_special(double x) { return x == 0.0 ? -INFINITY_D : x < 0.0 ? NAN_D : x + x; }
#define ORDINARY_F(x) ((x) > 0.0f && (x) < INFINITY_F)
#define ORDINARY_D(x) ((x) > 0.0 && (x) < INFINITY_D)

FUNCTION float __nv_logf(float x) {
    if (!ORDINARY_F(x))
        return log_special(x);
    SplitF s = split(x);
    float f = s.fraction;
    float p = fused(f * f, fused(f, log_tail(f), -0.5f), f);
    return fused(s.exponent, 0x1.62e430p-1f, p);
}

// (exponent + log(1 + f) / log(base)), the factor in two parts.
HELPER float log_to_base(SplitF s, float unit, float unit_low, float high, float low) {
    float f = s.fraction;
    float tail = f * f * fused(f, log_tail(f), -0.5f);
    float y = fused(f, high, fused(tail, high, f * low));
    return fused(s.exponent, unit, fused(s.exponent, unit_low, y));
}
FUNCTION float __nv_log2f(float x) {
    if (!ORDINARY_F(x))
        return log_special(x);
    return log_to_base(split(x), 1.0f, 0.0f, 0x1.715476p+0f, 0x1.4ae0bep-26f);
}
FUNCTION float __nv_log10f(float x) {
    if (!ORDINARY_F(x))
        return log_special(x);
    return log_to_base(split(x), 0x1.344136p-2f, -0x1.ec10c0p-27f, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f);
}

HELPER float log1p_ordinary(float x) {
    unsigned e = (bits(x + 1.0f) - 0x3f2aaaabu) & 0xff800000u;
    float s = from_bits(0x3f800000u - e);
    float f = fused(x, s, s - 1.0f);
    float p = fused(f * f, fused(f, log_tail(f), -0.5f), f);
    return fused((float)(int)e, 0x1.62e430p-24f, p);
}
FUNCTION float __nv_log1pf(float x) {
    if (x > -1.0f && x < 0x1p126f)
        return x == 0.0f ? x : log1p_ordinary(x);
    return x == -1.0f ? -INFINITY_F : x < -1.0f ? NAN_F : __nv_logf(x);
}

// log(1 + f) as hfsq-corrected sum: f - (hfsq - s * (hfsq + tail)).
struct LogParts { double half_square, correction; };
HELPER LogParts log_parts(double f) {
    double s = f / (2.0 + f);
    double z = s * s;
    double tail = z * artanh_tail(z);
    LogParts p;
    p.half_square = 0.5 * f * f;
    p.correction = s * (p.half_square + tail);
    return p;
}
HELPER double log_of(SplitD s, double low) {
    LogParts p = log_parts(s.fraction);
    double k = (double)s.exponent;
    // The high part of ln 2 has zeros at its end: its product with an exponent is exact.
    double c = fused(k, 0x1.ef35793c76730p-45, low);
    return fused(k, 0x1.62e42fefa3800p-1, s.fraction - (p.half_square - (p.correction + c)));
}
FUNCTION double __nv_log(double x) {
    if (!ORDINARY_D(x))
        return log_special(x);
    return log_of(split(x), 0.0);
}
HELPER double log_to_base(SplitD s, double unit, double unit_low, double high, double low) {
    LogParts p = log_parts(s.fraction);
    PairD l = sum_of(s.fraction, -p.half_square);
    // half_square is rounded: what it lost comes back here.
    double lost = fused(0.5 * s.fraction, s.fraction, -p.half_square);
    l.low += p.correction - lost;
    double k = (double)s.exponent;
    PairD m = product_of(l.high, high);
    m.low += fused(l.high, low, l.low * high);
    PairD e = product_of(k, unit);
    PairD t = magnitude(e.high) >= magnitude(m.high) ? sum_of(e.high, m.high) : sum_of(m.high, e.high);
    return t.high + (t.low + (m.low + (e.low + k * unit_low)));
}
FUNCTION double __nv_log2(double x) {
    if (!ORDINARY_D(x))
        return log_special(x);
    return log_to_base(split(x), 1.0, 0.0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
FUNCTION double __nv_log10(double x) {
    if (!ORDINARY_D(x))
        return log_special(x);
    return log_to_base(split(x), 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}
FUNCTION double __nv_log1p(double x) {
    if (!(x > -1.0 && x < 0x1p1022))
        return x == -1.0 ? -INFINITY_D : x < -1.0 ? NAN_D : __nv_log(x);
    if (magnitude(x) < 0x1p-54)
        return x;
    double u = x + 1.0;
    SplitD s;
    s.exponent = (int)((long long)(bits(u) - 0x3fe6a09e667f3bcdull) >> 52);
    double t = power_of_two_d(-s.exponent < -1022 ? -1022 : -s.exponent);
    double rest = t - 1.0;
    s.fraction = fused(x, t, rest);
    double low = fused(x, t, rest - s.fraction);
    return log_of(s, low / (1.0 + s.fraction));
}
