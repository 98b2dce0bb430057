// exp, exp2, exp10, expm1, float and double.

#pragma once
#include "common.cuh"

HELPER float polynomial_exp_f(float x) {
    float p = 0x1.6d4ea6p-10f;
    p = fused(p, x, 0x1.120c8ep-7f);
    p = fused(p, x, 0x1.5554e8p-5f);
    p = fused(p, x, 0x1.5554dcp-3f);
    p = fused(p, x, 0x1.0p-1f);
    return p;
}
HELPER double polynomial_exp_d(double x) {
    double p = 0x1.af61e16f9e849p-26;
    p = fused(p, x, 0x1.2891ef57e44a4p-22);
    p = fused(p, x, 0x1.71ddf7776e74cp-19);
    p = fused(p, x, 0x1.a019b8a04d82bp-16);
    p = fused(p, x, 0x1.a01a01afbbf18p-13);
    p = fused(p, x, 0x1.6c16c178b1038p-10);
    p = fused(p, x, 0x1.111111110f8d4p-7);
    p = fused(p, x, 0x1.5555555553ccdp-5);
    p = fused(p, x, 0x1.5555555555558p-3);
    p = fused(p, x, 0x1.0000000000001p-1);
    return p;
}

// 2^x for |x| <= 1, by the machine's approximation: relative error below 2^-22.
HELPER float exp2_unit(float x) { return __nvvm_ex2_approx_ftz_f(x); }

// The rounding constant: adding it leaves the nearest integer in the low bits.
#define ROUND_F 12582912.0f
#define ROUND_D 6755399441055744.0

// base^x, where `high` + `low` is the base's binary logarithm.
HELPER float exponential_f(float x, float high, float low, float least, float most) {
    x = x < least ? least : x;
    x = x > most ? most : x;
    float t = fused(x, high, ROUND_F);
    float j = t - ROUND_F;
    float r = fused(x, high, -j);
    r = fused(x, low, r);
    return scale(exp2_unit(r), (int)(bits(t) - bits(ROUND_F)));
}

FUNCTION float __nv_expf(float x) { return exponential_f(x, 0x1.715476p+0f, 0x1.4ae0bep-26f, -105.0f, 90.0f); }
FUNCTION float __nv_exp10f(float x) { return exponential_f(x, 0x1.a934f0p+1f, 0x1.2f346ep-24f, -46.0f, 39.0f); }
FUNCTION float __nv_exp2f(float x) {
    bool small = x < -126.0f;
    float r = exp2_unit(small ? x * 0.5f : x);
    return small ? r * r : r;
}

// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
HELPER float exp_tail(float r) { return polynomial_exp_f(r); }
HELPER double exp_tail(double r) { return polynomial_exp_d(r); }

FUNCTION float __nv_expm1f(float x) {
    if (x == 0.0f)
        return x;
    float c = x < -26.0f ? -26.0f : x;
    c = c > 88.9f ? 88.9f : c;
    float t = fused(c, 0x1.715476p+0f, ROUND_F);
    float j = t - ROUND_F;
    float r = fused(j, -0x1.62e400p-1f, c);
    r = fused(j, -0x1.7f7d1cp-20f, r);
    float p = fused(r * r, exp_tail(r), r);
    // 2^j is halved so that the largest results do not overflow on the way.
    float s = power_of_two_f((int)j - 1);
    float y = fused(p, s, s - 0.5f);
    return j == 0.0f ? p : y + y;
}

// e^(high + low), where |low| is small against 1.
HELPER double exponential_d(double x, double low) {
    double t = fused(x, 0x1.71547652b82fep+0, ROUND_D);
    double j = t - ROUND_D;
    double r = fused(j, -0x1.62e42fefa39efp-1, x);
    r = fused(j, -0x1.abc9e3b39803fp-56, r) + low;
    double p = fused(exp_tail(r), r * r, r);
    return scale(1.0 + p, (int)bits(t));
}

FUNCTION double __nv_exp(double x) {
    double c = x < -746.0 ? -746.0 : x;
    c = c > 710.0 ? 710.0 : c;
    return exponential_d(c, 0.0);
}
FUNCTION double __nv_exp2(double x) {
    double c = x < -1080.0 ? -1080.0 : x;
    c = c > 1030.0 ? 1030.0 : c;
    double t = c + ROUND_D;
    double j = t - ROUND_D;
    double f = c - j;
    double r = f * 0x1.62e42fefa39efp-1;
    double low = fused(f, 0x1.62e42fefa39efp-1, -r) + f * 0x1.abc9e3b39803fp-56;
    double p = r + fused(exp_tail(r), r * r, low);
    return scale(1.0 + p, (int)bits(t));
}
FUNCTION double __nv_exp10(double x) {
    double c = x < -330.0 ? -330.0 : x;
    c = c > 310.0 ? 310.0 : c;
    double t = fused(c, 0x1.a934f0979a371p+1, ROUND_D);
    double j = t - ROUND_D;
    // log10(2) in two parts, then times ln 10.
    double f = fused(j, -0x1.34413509f79ffp-2, c);
    f = fused(j, 0x1.9dc1da994fd21p-59, f);
    double r = f * 0x1.26bb1bbb55516p+1;
    double low = fused(f, 0x1.26bb1bbb55516p+1, -r) + f * -0x1.f48ad494ea3e9p-53;
    double p = r + fused(exp_tail(r), r * r, low);
    return scale(1.0 + p, (int)bits(t));
}
FUNCTION double __nv_expm1(double x) {
    if (x == 0.0)
        return x;
    double c = x < -60.0 ? -60.0 : x;
    c = c > 709.9 ? 709.9 : c;
    double t = fused(c, 0x1.71547652b82fep+0, ROUND_D);
    double j = t - ROUND_D;
    double r = fused(j, -0x1.62e42fefa39efp-1, c);
    double low = j * -0x1.abc9e3b39803fp-56;
    PairD s = sum_of(r, low);
    double p = fused(s.high * s.high, exp_tail(s.high), s.low);
    int n = (int)bits(t);
    if (n == 0)
        return s.high + p;
    double h = power_of_two_d(n - 1);
    PairD u = sum_of(s.high, p);
    // 2^n (1 + u) - 1, halved: the two large parts first.
    double a = h - 0.5;
    double b = u.high * h;
    PairD v = magnitude(a) >= magnitude(b) ? sum_of(a, b) : sum_of(b, a);
    double y = v.high + (v.low + u.low * h);
    return y + y;
}
