// The gamma function and its logarithm, float and double.

#pragma once
#include "power.cuh"
#include "trigonometry.cuh"

HELPER float polynomial_stirling_f(float x) {
    float p = 0x1.85165ap-11f;
    p = fused(p, x, -0x1.6bee04p-9f);
    p = fused(p, x, 0x1.555554p-4f);
    return p;
}
HELPER double polynomial_stirling_d(double x) {
    double p = -0x1.3a2c09aac9c7fp+2;
    p = fused(p, x, 0x1.38e1941429476p-2);
    p = fused(p, x, -0x1.65d7ce20c8b29p-9);
    p = fused(p, x, -0x1.d3f15cd33524cp-10);
    p = fused(p, x, 0x1.b8bf10b9eafc1p-11);
    p = fused(p, x, -0x1.3812d11b87ef9p-11);
    p = fused(p, x, 0x1.a01a01300ffe6p-11);
    p = fused(p, x, -0x1.6c16c16c0ec12p-9);
    p = fused(p, x, 0x1.5555555555555p-4);
    return p;
}
HELPER float polynomial_lgamma1_f(float x) {
    float p = -0x1.90640cp-3f;
    p = fused(p, x, 0x1.712fdcp-3f);
    p = fused(p, x, -0x1.2e010cp-5f);
    p = fused(p, x, 0x1.0a127ap-4f);
    p = fused(p, x, -0x1.f6af2p-4f);
    p = fused(p, x, 0x1.0ca764p-3f);
    p = fused(p, x, -0x1.2484f2p-3f);
    p = fused(p, x, 0x1.5a5ed2p-3f);
    p = fused(p, x, -0x1.a8db02p-3f);
    p = fused(p, x, 0x1.1516cp-2f);
    p = fused(p, x, -0x1.9a4cfcp-2f);
    p = fused(p, x, 0x1.a51a62p-1f);
    p = fused(p, x, -0x1.2788dp-1f);
    return p;
}
HELPER float polynomial_lgamma2_f(float x) {
    float p = -0x1.c884f6p-14f;
    p = fused(p, x, 0x1.0165eap-11f);
    p = fused(p, x, -0x1.473408p-10f);
    p = fused(p, x, 0x1.7e467cp-9f);
    p = fused(p, x, -0x1.e3929ap-8f);
    p = fused(p, x, 0x1.511f86p-6f);
    p = fused(p, x, -0x1.13e02ap-4f);
    p = fused(p, x, 0x1.4a34d8p-2f);
    p = fused(p, x, 0x1.b0ee6p-2f);
    return p;
}
HELPER double polynomial_lgamma1_d(double x) {
    double p = -0x1.133aeb4aa2a33p-2;
    p = fused(p, x, 0x1.dfe98398836c6p-3);
    p = fused(p, x, 0x1.f64f2cb58b4fcp-3);
    p = fused(p, x, -0x1.69ff94a31896bp-3);
    p = fused(p, x, -0x1.b6500a7a82e0fp-3);
    p = fused(p, x, 0x1.4a40ea667b18dp-3);
    p = fused(p, x, 0x1.83ea9a07c4d6ap-6);
    p = fused(p, x, 0x1.0948aa81e313ap-8);
    p = fused(p, x, -0x1.0b1ada149c9c9p-4);
    p = fused(p, x, 0x1.e8b1179fd994ap-5);
    p = fused(p, x, -0x1.9489deab38248p-5);
    p = fused(p, x, 0x1.ba3fe2f15ff5dp-5);
    p = fused(p, x, -0x1.e568a9d301fa2p-5);
    p = fused(p, x, 0x1.00be27f9bb313p-4);
    p = fused(p, x, -0x1.10e867e3f3ae2p-4);
    p = fused(p, x, 0x1.248792b5af477p-4);
    p = fused(p, x, -0x1.3b207875d4542p-4);
    p = fused(p, x, 0x1.556bb153f6376p-4);
    p = fused(p, x, -0x1.748c10c0eb2d3p-4);
    p = fused(p, x, 0x1.9a01db54e3378p-4);
    p = fused(p, x, -0x1.c806717c5c613p-4);
    p = fused(p, x, 0x1.010b36c839f15p-3);
    p = fused(p, x, -0x1.2703a1da536efp-3);
    p = fused(p, x, 0x1.5b40cb0fb7123p-3);
    p = fused(p, x, -0x1.a8b9c17aad14ep-3);
    p = fused(p, x, 0x1.151322ac7dca8p-2);
    p = fused(p, x, -0x1.9a4d55beab293p-2);
    p = fused(p, x, 0x1.a51a6625307d2p-1);
    p = fused(p, x, -0x1.2788cfc6fb619p-1);
    return p;
}
HELPER double polynomial_lgamma2_d(double x) {
    double p = -0x1.e3370565e33c9p-32;
    p = fused(p, x, 0x1.21064d9676921p-28);
    p = fused(p, x, -0x1.3a1f8c99627c6p-26);
    p = fused(p, x, 0x1.b03e38bf6a98bp-25);
    p = fused(p, x, -0x1.cf0c781d3a36cp-24);
    p = fused(p, x, 0x1.cfb2d08cfe5a5p-23);
    p = fused(p, x, -0x1.dfd05b32202d4p-22);
    p = fused(p, x, 0x1.ff0cfc1410991p-21);
    p = fused(p, x, -0x1.11a9a22cfbe9p-19);
    p = fused(p, x, 0x1.25a9a22943958p-18);
    p = fused(p, x, -0x1.3cbf905411906p-17);
    p = fused(p, x, 0x1.580d0fa577a16p-16);
    p = fused(p, x, -0x1.78de27e755b74p-15);
    p = fused(p, x, 0x1.a127b4f79cb3p-14);
    p = fused(p, x, -0x1.d3fd4e4531c3ap-13);
    p = fused(p, x, 0x1.0b36af8274826p-11);
    p = fused(p, x, -0x1.38ac5c2778457p-10);
    p = fused(p, x, 0x1.7add6eadad82bp-9);
    p = fused(p, x, -0x1.e404fc219b7ecp-8);
    p = fused(p, x, 0x1.51322ac7d85dap-6);
    p = fused(p, x, -0x1.13e001a5575cap-4);
    p = fused(p, x, 0x1.4a34cc4a60fa6p-2);
    p = fused(p, x, 0x1.b0ee6072093cep-2);
    return p;
}

// (log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2) x by z = 1 / x^2, for x >= 4, and 8 in double.
HELPER float stirling_tail(float z) { return polynomial_stirling_f(z); }
HELPER double stirling_tail(double z) { return polynomial_stirling_d(z); }

// log Gamma(x) for x above those bounds.
HELPER PairF stirling(float x) {
    PairF l = log_pair(x);
    float h = x - 0.5f;
    float r = 1.0f / x;
    PairF m = product_of(l.high, h);
    m.low = fused(l.low, h, m.low);
    PairF a = magnitude(m.high) >= x ? sum_of(m.high, -x) : sum_of(-x, m.high);
    float c = fused(r, stirling_tail(r * r), 0x1.d67f1cp-1f);
    PairF b = magnitude(a.high) >= c ? sum_of(a.high, c) : sum_of(c, a.high);
    b.low += a.low + m.low;
    return sum_of(b.high, b.low);
}
HELPER PairD stirling(double x) {
    PairD l = log_pair(x);
    double h = x - 0.5;
    double r = 1.0 / x;
    PairD m = product_of(l.high, h);
    m.low = fused(l.low, h, m.low);
    PairD a = magnitude(m.high) >= x ? sum_of(m.high, -x) : sum_of(-x, m.high);
    PairD d = sum_of(0x1.d67f1c864beb5p-1, r * stirling_tail(r * r));
    PairD b = magnitude(a.high) >= d.high ? sum_of(a.high, d.high) : sum_of(d.high, a.high);
    b.low += a.low + m.low + (d.low - 0x1.65b5a1b7ff5dfp-55);
    return sum_of(b.high, b.low);
}

// log Gamma(x) for 0 < x
HELPER float lgamma_positive(float x) {
    if (x >= 4.0f) {
        if (x > 0x1p121f)
            return INFINITY_F;
        PairF s = stirling(x);
        return s.high + s.low;
    }
    float p = 1.0f;
    bool below = x < 0.5f;
    float y = below ? x + 1.0f : x;
    float t = below ? x : x - 1.0f;
    while (y > 3.0f) {
        y -= 1.0f;
        p *= y;
    }
    float r;
    if (y < 1.5f) {
        r = t * polynomial_lgamma1_f(t);
    } else {
        float u = y - 2.0f;
        r = u * polynomial_lgamma2_f(u);
    }
    return below ? r - __nv_logf(x) : p != 1.0f ? r + __nv_logf(p) : r + 0.0f;
}
HELPER double lgamma_positive(double x) {
    if (x >= 8.0) {
        if (x > 0x1p1014)
            return INFINITY_D;
        PairD s = stirling(x);
        return s.high + s.low;
    }
    double p = 1.0;
    bool below = x < 0.5;
    double y = below ? x + 1.0 : x;
    double t = below ? x : x - 1.0;
    while (y > 3.0) {
        y -= 1.0;
        p *= y;
    }
    double r;
    if (y < 1.5) {
        r = t * polynomial_lgamma1_d(t);
    } else {
        double u = y - 2.0;
        r = u * polynomial_lgamma2_d(u);
    }
    return below ? r - __nv_log(x) : p != 1.0 ? r + __nv_log(p) : r + 0.0;
}
FUNCTION float __nv_lgammaf(float x) {
    float a = magnitude(x);
    if (!(a < INFINITY_F))
        return x != x ? x : INFINITY_F;
    if (x > 0.0f)
        return lgamma_positive(x);
    if (a < 0x1p-60f)
        return -__nv_logf(a);
    float s = magnitude(__nv_sinpif(a));
    return s == 0.0f ? INFINITY_F : __nv_logf(0x1.921fb6p+1f / (a * s)) - lgamma_positive(a);
}
FUNCTION double __nv_lgamma(double x) {
    double a = magnitude(x);
    if (!(a < INFINITY_D))
        return x != x ? x : INFINITY_D;
    if (x > 0.0)
        return lgamma_positive(x);
    if (a < 0x1p-120)
        return -__nv_log(a);
    double s = magnitude(__nv_sinpi(a));
    return s == 0.0 ? INFINITY_D : __nv_log(0x1.921fb54442d18p+1 / (a * s)) - lgamma_positive(a);
}

FUNCTION float __nv_tgammaf(float x) {
    float a = magnitude(x);
    if (!(a < INFINITY_F))
        return x > 0.0f ? x : NAN_F;
    if (x == 0.0f)
        return with_sign(INFINITY_F, x);
    if (x < 0.0f && __builtin_truncf(x) == x)
        return NAN_F;
    if (a < 0x1p-30f)
        return 1.0f / x;
    PairF p;
    p.high = 1.0f;
    p.low = 0.0f;
    float y = a, y_low = 0.0f;
    while (y < 4.0f) {
        PairF q = product_of(p.high, y);
        q.low = fused(p.low, y, fused(p.high, y_low, q.low));
        p = sum_of(q.high, q.low);
        float z = y + 1.0f;
        y_low += y >= 1.0f ? 1.0f - (z - y) : y - (z - 1.0f);
        y = z;
    }
    if (y > 45.0f)
        return x > 0.0f ? INFINITY_F : with_sign(0.0f, (parity(__builtin_floorf(x)) == -1) ? -1.0f : 1.0f);
    PairF s = stirling(y);
    // What rounding took from y, times the derivative: log y nearly.
    s.low += y_low * (__nv_logf(y) - 0.5f / y);
    if (x > 0.0f) {
        // In two factors: the first alone may be too large where the quotient is not.
        s.high *= 0.5f;
        s.low *= 0.5f;
        float e = exp_pair(s);
        float q = e / p.high;
        q = fused(-q, p.low / p.high, q);
        return q * e;
    }
    // Gamma(x) = -pi / (a sin(pi a) Gamma(a))
    s.high *= -0.5f;
    s.low *= -0.5f;
    float e = exp_pair(s);
    float d = a * __nv_sinpif(a);
    return -0x1.921fb6p+1f / d * p.high * e * e;
}
FUNCTION double __nv_tgamma(double x) {
    double a = magnitude(x);
    if (!(a < INFINITY_D))
        return x > 0.0 ? x : NAN_D;
    if (x == 0.0)
        return with_sign(INFINITY_D, x);
    if (x < 0.0 && __builtin_trunc(x) == x)
        return NAN_D;
    if (a < 0x1p-60)
        return 1.0 / x;
    PairD p;
    p.high = 1.0;
    p.low = 0.0;
    double y = a, y_low = 0.0;
    while (y < 8.0) {
        PairD q = product_of(p.high, y);
        q.low = fused(p.low, y, fused(p.high, y_low, q.low));
        p = sum_of(q.high, q.low);
        double z = y + 1.0;
        y_low += magnitude(y) >= 1.0 ? 1.0 - (z - y) : y - (z - 1.0);
        y = z;
    }
    if (y > 190.0)
        return x > 0.0 ? INFINITY_D : with_sign(0.0, (parity(__builtin_floor(x)) == -1) ? -1.0 : 1.0);
    PairD s = stirling(y);
    // What rounding took from y, times the derivative: log y nearly.
    s.low += y_low * (__nv_log(y) - 0.5 / y);
    if (x > 0.0) {
        double e = exponential_d(0.5 * s.high, 0.5 * s.low);
        double q = e / p.high;
        q = fused(-q, p.low / p.high, q);
        return q * e;
    }
    double e = exponential_d(-0.5 * s.high, -0.5 * s.low);
    double d = a * __nv_sinpi(a);
    return -0x1.921fb54442d18p+1 / d * p.high * e * e;
}
