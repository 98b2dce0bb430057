// pow, powi, cbrt, rcbrt, rsqrt.

#pragma once
#include "exponential.cuh"
#include "logarithm.cuh"

HELPER float polynomial_atanh_f(float x) {
    float p = 0x1.2f03e6p-2f;
    p = fused(p, x, 0x1.997b5ap-2f);
    p = fused(p, x, 0x1.55555cp-1f);
    return p;
}
HELPER double polynomial_pow_d(double x) {
    double p = 0x1.08a4faa0efabep-3;
    p = fused(p, x, 0x1.1014f95b508c6p-3);
    p = fused(p, x, 0x1.3b18d69a63e4cp-3);
    p = fused(p, x, 0x1.745d0982a1df3p-3);
    p = fused(p, x, 0x1.c71c71d8a1dd1p-3);
    p = fused(p, x, 0x1.249249248e16ep-2);
    p = fused(p, x, 0x1.999999999999fp-2);
    return p;
}

// (2 artanh(s) - 2 s) / s^3 by z = s^2, for |s| <= 0.172.
HELPER float artanh_tail(float z) { return polynomial_atanh_f(z); }
// What follows 2/3 in that series, divided by z.
HELPER double artanh_tail2(double z) { return polynomial_pow_d(z); }

// log(x) of a positive finite x, to about 2^-30 of its value.
HELPER PairF log_pair(float x) {
    float shift = 0.0f;
    if (x < 0x1p-126f) {
        x = x * 16777216.0f;
        shift = -24.0f;
    }
    unsigned e = (bits(x) - 0x3f3504f3u) & 0xff800000u;
    float m = from_bits(bits(x) - e);
    float k = fused((float)(int)e, 0x1p-23f, shift);
    float f = m - 1.0f;
    float r = 1.0f / (m + 1.0f);
    float s = f * r;
    // The rest of the quotient: f - s (m + 1), where m + 1 = f + 2 exactly.
    float rest = fused(-s, f, fused(-2.0f, s, f)) * r;
    float z = s * s;
    float tail = s * z * artanh_tail(z);
    // k ln2 + 2 s + 2 rest + tail
    PairF a = product_of(k, 0x1.62e430p-1f);
    a.low = fused(k, -0x1.05c610p-29f, a.low);
    float t = 2.0f * s;
    PairF b = magnitude(a.high) >= magnitude(t) ? sum_of(a.high, t) : sum_of(t, a.high);
    b.low += a.low + fused(2.0f, rest, tail);
    return sum_of(b.high, b.low);
}

// e^(high + low)
HELPER float exp_pair(PairF p) {
    float h = p.high < -110.0f ? -110.0f : p.high;
    h = h > 95.0f ? 95.0f : h;
    float low = p.high == h ? p.low : 0.0f;
    float t = fused(h, 0x1.715476p+0f, ROUND_F);
    float j = t - ROUND_F;
    float r = fused(j, -0x1.62e400p-1f, h);
    r = fused(j, -0x1.7f7d1cp-20f, r);
    r += low;
    float q = fused(r * r, exp_tail(r), r) + 1.0f;
    return scale(q, (int)(bits(t) - bits(ROUND_F)));
}

// -1: y is an odd integer; 1: an even one; 0: none.
HELPER int parity(float y) {
    float a = magnitude(y);
    if (a >= 0x1p24f)
        return 1;
    float t = __builtin_truncf(a);
    return t != a ? 0 : ((unsigned)t & 1u) ? -1 : 1;
}
HELPER int parity(double y) {
    double a = magnitude(y);
    if (a >= 0x1p53)
        return 1;
    double t = __builtin_trunc(a);
    return t != a ? 0 : ((unsigned long long)t & 1ull) ? -1 : 1;
}

FUNCTION float __nv_powf(float x, float y) {
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (x != x || y != y)
        return x + y;
    float a = magnitude(x);
    int p = parity(y);
    bool negative = (bits(x) >> 31) && p == -1;
    float r;
    if (magnitude(y) == INFINITY_F)
        return a == 1.0f ? 1.0f : ((a > 1.0f) == (y > 0.0f)) ? INFINITY_F : 0.0f;
    if (a == 0.0f || a == INFINITY_F)
        r = ((a == 0.0f) == (y < 0.0f)) ? INFINITY_F : 0.0f;
    else if (x < 0.0f && p == 0)
        return NAN_F;
    else {
        PairF l = log_pair(a);
        PairF m = product_of(l.high, y);
        m.low = magnitude(m.high) < INFINITY_F ? fused(l.low, y, m.low) : 0.0f;
        PairF n = sum_of(m.high, m.low);
        r = exp_pair(magnitude(m.high) < INFINITY_F ? n : m);
    }
    return negative ? -r : r;
}
FUNCTION float __nv_powif(float x, int n) { return __nv_powf(x, (float)n); }

// log(x) of a positive finite x, to about 2^-66 of its value.
HELPER PairD log_pair(double x) {
    SplitD v = split(x);
    double f = v.fraction;
    double d = f + 2.0;
    double d_low = f - (d - 2.0);
    double r = 1.0 / d;
    double s = f * r;
    double rest = fused(-s, d, f);
    rest = fused(-s, d_low, rest) * r;
    PairD z = product_of(s, s);
    z.low = fused(2.0 * s, rest, z.low);
    // 2 s + s^3 (2/3 + z Q(z)), the first two terms in pairs
    PairD c = product_of(z.high, 0x1.5555555555555p-1);
    double q = z.high * z.high * artanh_tail2(z.high);
    c.low += fused(z.high, 0x1.5555555555555p-55, fused(z.low, 0x1.5555555555555p-1, q));
    PairD u = sum_of(c.high, c.low);
    PairD w = product_of(u.high, s);
    w.low += fused(u.low, s, u.high * rest);
    double k = (double)v.exponent;
    PairD a = product_of(k, 0x1.62e42fefa39efp-1);
    a.low = fused(k, 0x1.abc9e3b39803fp-56, a.low);
    double t = 2.0 * s;
    PairD b = magnitude(a.high) >= magnitude(t) ? sum_of(a.high, t) : sum_of(t, a.high);
    PairD g = sum_of(b.high, w.high);
    if (b.high == 0.0 || magnitude(b.high) < magnitude(w.high))
        g = sum_of(w.high, b.high);
    double low = b.low + a.low + fused(2.0, rest, w.low) + g.low;
    return sum_of(g.high, low);
}
FUNCTION double __nv_pow(double x, double y) {
    if (x == 1.0 || y == 0.0)
        return 1.0;
    if (x != x || y != y)
        return x + y;
    double a = magnitude(x);
    int p = parity(y);
    bool negative = (bits(x) >> 63) && p == -1;
    double r;
    if (magnitude(y) == INFINITY_D)
        return a == 1.0 ? 1.0 : ((a > 1.0) == (y > 0.0)) ? INFINITY_D : 0.0;
    if (a == 0.0 || a == INFINITY_D)
        r = ((a == 0.0) == (y < 0.0)) ? INFINITY_D : 0.0;
    else if (x < 0.0 && p == 0)
        return NAN_D;
    else {
        PairD l = log_pair(a);
        PairD m = product_of(l.high, y);
        if (m.high > 710.0)
            r = INFINITY_D;
        else if (m.high < -746.0)
            r = 0.0;
        else {
            m.low = fused(l.low, y, m.low);
            PairD n = sum_of(m.high, m.low);
            r = exponential_d(n.high, n.low);
        }
    }
    return negative ? -r : r;
}
FUNCTION double __nv_powi(double x, int n) { return __nv_pow(x, (double)n); }

FUNCTION float __nv_cbrtf(float x) {
    float a = magnitude(x);
    if (!(a > 0.0f && a < INFINITY_F))
        return x + x;
    float b = a < 0x1p-126f ? a * 16777216.0f : a;
    float t = __nvvm_ex2_approx_ftz_f(__nvvm_lg2_approx_ftz_f(b) * 0x1.555556p-2f);
    // One step of Newton's method.
    float e = fused(t * t, -t, b);
    t = fused(e, 0x1.555556p-2f / (t * t), t);
    return with_sign(a < 0x1p-126f ? t * 0x1p-8f : t, x);
}
FUNCTION float __nv_rcbrtf(float x) { return 1.0f / __nv_cbrtf(x); }
FUNCTION double __nv_cbrt(double x) {
    double a = magnitude(x);
    if (!(a > 0.0 && a < INFINITY_D))
        return x + x;
    SplitD s = split(a);
    int third = (s.exponent + 1200) / 3 - 400;
    double b = (1.0 + s.fraction) * power_of_two_d(s.exponent - 3 * third);
    double t = (double)__nvvm_ex2_approx_ftz_f(__nvvm_lg2_approx_ftz_f((float)b) * 0x1.555556p-2f);
    // Two steps of Newton's method; the second keeps the error of the square.
    double q = t * t;
    t = fused(fused(q, -t, b), 0x1.5555555555555p-2 / q, t);
    PairD u = product_of(t, t);
    double e = fused(u.low, -t, fused(u.high, -t, b));
    t = fused(e, 0x1.5555555555555p-2 / u.high, t);
    return with_sign(t * power_of_two_d(third), x);
}
FUNCTION double __nv_rcbrt(double x) {
    double a = magnitude(x);
    if (!(a > 0.0 && a < INFINITY_D))
        return 1.0 / x;
    double t = 1.0 / __nv_cbrt(a);
    PairD u = product_of(t, t);
    PairD v = product_of(u.high, t);
    double low = fused(u.low, t, v.low);
    double e = fused(-a, low, fused(-a, v.high, 1.0));
    return with_sign(magnitude(e) < 1.0 ? fused(e * t, 0x1.5555555555555p-2, t) : t, x);
}
FUNCTION float __nv_rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
FUNCTION double __nv_rsqrt(double x) {
    if (!ORDINARY_D(x))
        return x == 0.0 ? with_sign(INFINITY_D, x) : x == INFINITY_D ? 0.0 : x < 0.0 ? NAN_D : x + x;
    double s = root(x);
    double t = 1.0 / s;
    // s is rounded: x t^2 - 1 by the rest of the root.
    double rest = fused(-s, s, x);
    double e = fused(-s, t, 1.0);
    return fused(t, fused(-0.5 * rest * t, t, e), t);
}
