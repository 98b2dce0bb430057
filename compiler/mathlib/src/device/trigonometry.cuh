// sin, cos, tan, sinpi, cospi, asin, acos, atan, atan2 and their pairs, float and double.

#pragma once
#include "common.cuh"

HELPER float polynomial_sin_f(float x) {
    float p = -0x1.9aa9c2p-13f;
    p = fused(p, x, 0x1.110bd6p-7f);
    p = fused(p, x, -0x1.555552p-3f);
    return p;
}
HELPER float polynomial_cos_f(float x) {
    float p = 0x1.9bbf8ep-16f;
    p = fused(p, x, -0x1.6c1292p-10f);
    p = fused(p, x, 0x1.555554p-5f);
    return p;
}
HELPER double polynomial_sin_d(double x) {
    double p = 0x1.5e0a344661b49p-33;
    p = fused(p, x, -0x1.ae600cf11e0b8p-26);
    p = fused(p, x, 0x1.71de379f1d659p-19);
    p = fused(p, x, -0x1.a01a019e93aacp-13);
    p = fused(p, x, 0x1.1111111110c53p-7);
    p = fused(p, x, -0x1.5555555555555p-3);
    return p;
}
HELPER double polynomial_cos_d(double x) {
    double p = -0x1.906d2f58a14c9p-37;
    p = fused(p, x, 0x1.1eeb4f3bb8334p-29);
    p = fused(p, x, -0x1.27e4f9faf47cap-22);
    p = fused(p, x, 0x1.a01a019f32876p-16);
    p = fused(p, x, -0x1.6c16c16c168b6p-10);
    p = fused(p, x, 0x1.5555555555555p-5);
    return p;
}
HELPER float polynomial_tan_f(float x) {
    float p = 0x1.13d21p-7f;
    p = fused(p, x, 0x1.3e09e6p-8f);
    p = fused(p, x, 0x1.7d89b4p-6f);
    p = fused(p, x, 0x1.b84ea4p-5f);
    p = fused(p, x, 0x1.111782p-3f);
    p = fused(p, x, 0x1.55554ep-2f);
    return p;
}
HELPER double polynomial_tan_d(double x) {
    double p = 0x1.20a0191fd23bbp-17;
    p = fused(p, x, -0x1.3ad9e8c46a28cp-16);
    p = fused(p, x, 0x1.3890724825eaep-15);
    p = fused(p, x, -0x1.88a4c92741c4fp-17);
    p = fused(p, x, 0x1.d57f988edb748p-15);
    p = fused(p, x, 0x1.78ed5472ec4d7p-14);
    p = fused(p, x, 0x1.f9e973ed8e518p-13);
    p = fused(p, x, 0x1.351c604710ff4p-11);
    p = fused(p, x, 0x1.7da7c404ede4ap-10);
    p = fused(p, x, 0x1.d6d39a33798c5p-9);
    p = fused(p, x, 0x1.226e36334b1d2p-7);
    p = fused(p, x, 0x1.664f487f3d31p-6);
    p = fused(p, x, 0x1.ba1ba1ba21075p-5);
    p = fused(p, x, 0x1.1111111111139p-3);
    p = fused(p, x, 0x1.5555555555555p-2);
    return p;
}
HELPER float polynomial_sinpi_f(float x) {
    float p = -0x1.2eec34p-1f;
    p = fused(p, x, 0x1.466602p+1f);
    p = fused(p, x, -0x1.4abbccp+2f);
    return p;
}
HELPER float polynomial_cospi_f(float x) {
    float p = 0x1.d09882p-3f;
    p = fused(p, x, -0x1.55a5b8p+0f);
    p = fused(p, x, 0x1.03c19ep+2f);
    p = fused(p, x, -0x1.3bd3ccp+2f);
    return p;
}
HELPER double polynomial_sinpi_d(double x) {
    double p = 0x1.e4a7985366787p-12;
    p = fused(p, x, -0x1.e3027890e4d5bp-8);
    p = fused(p, x, 0x1.5078320402081p-4);
    p = fused(p, x, -0x1.32d2cce4fd01cp-1);
    p = fused(p, x, 0x1.466bc6775a45ap+1);
    p = fused(p, x, -0x1.4abbce625be52p+2);
    return p;
}
HELPER double polynomial_cospi_d(double x) {
    double p = -0x1.ac11dffe2718fp-14;
    p = fused(p, x, 0x1.f9b7bea7022eap-10);
    p = fused(p, x, -0x1.a6d1d2ed14889p-6);
    p = fused(p, x, 0x1.e1f50664dd9fdp-3);
    p = fused(p, x, -0x1.55d3c7e3b77c6p+0);
    p = fused(p, x, 0x1.03c1f081b5a23p+2);
    p = fused(p, x, -0x1.3bd3cc9be45dep+2);
    return p;
}
HELPER float polynomial_asin_f(float x) {
    float p = 0x1.3ba72p-5f;
    p = fused(p, x, 0x1.afa9b8p-6f);
    p = fused(p, x, 0x1.70e538p-5f);
    p = fused(p, x, 0x1.3325dp-4f);
    p = fused(p, x, 0x1.55555ep-3f);
    return p;
}
HELPER double polynomial_asin_d(double x) {
    double p = 0x1.dc6c5664112c4p-6;
    p = fused(p, x, -0x1.f67e9244a9663p-7);
    p = fused(p, x, 0x1.225149f425783p-6);
    p = fused(p, x, 0x1.5dbbaf93fe401p-8);
    p = fused(p, x, 0x1.5337023ea5467p-7);
    p = fused(p, x, 0x1.77ff255d493abp-7);
    p = fused(p, x, 0x1.c9d33a2891a3bp-7);
    p = fused(p, x, 0x1.1c4d0fa25a433p-6);
    p = fused(p, x, 0x1.6e8bb38541c68p-6);
    p = fused(p, x, 0x1.f1c71c117cdbep-6);
    p = fused(p, x, 0x1.6db6db6e48f56p-5);
    p = fused(p, x, 0x1.3333333332d9dp-4);
    p = fused(p, x, 0x1.5555555555556p-3);
    return p;
}
HELPER float polynomial_atan_f(float x) {
    float p = 0x1.09e3cap-8f;
    p = fused(p, x, -0x1.53165cp-6f);
    p = fused(p, x, 0x1.98499ap-5f);
    p = fused(p, x, -0x1.4aad5cp-4f);
    p = fused(p, x, 0x1.bdfa6cp-4f);
    p = fused(p, x, -0x1.240faep-3f);
    p = fused(p, x, 0x1.9993ecp-3f);
    p = fused(p, x, -0x1.55555p-2f);
    return p;
}
HELPER double polynomial_atan_d(double x) {
    double p = 0x1.40811d9197518p-16;
    p = fused(p, x, -0x1.b8292efc810bfp-13);
    p = fused(p, x, 0x1.1e9008b7366ecp-10);
    p = fused(p, x, -0x1.d982b8f4183e5p-9);
    p = fused(p, x, 0x1.193b680803c25p-7);
    p = fused(p, x, -0x1.0328a6926862bp-6);
    p = fused(p, x, 0x1.88d33c5af33aap-6);
    p = fused(p, x, -0x1.01f1e094b8c36p-5);
    p = fused(p, x, 0x1.34273f4c12c1ap-5);
    p = fused(p, x, -0x1.5d7391ce06995p-5);
    p = fused(p, x, 0x1.84448ae4f3fffp-5);
    p = fused(p, x, -0x1.aec5be8cb396ap-5);
    p = fused(p, x, 0x1.e1d216c524374p-5);
    p = fused(p, x, -0x1.111022a7529e8p-4);
    p = fused(p, x, 0x1.3b139d54cb92p-4);
    p = fused(p, x, -0x1.745d1629cb1e5p-4);
    p = fused(p, x, 0x1.c71c71bd6d031p-4);
    p = fused(p, x, -0x1.249249247bfdbp-3);
    p = fused(p, x, 0x1.9999999999717p-3);
    p = fused(p, x, -0x1.5555555555555p-2);
    return p;
}

// The first 1,280 bits of 2 / pi, most significant first.
static __device__ const unsigned long long two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
};

// x = quadrant * pi / 2 + rest, |rest| <= pi / 4 and a little.
struct ReducedF { float rest; int quadrant; };
struct ReducedD { double rest, low; int quadrant; };

// The product of a mantissa of 64 bits, whose lowest bit has weight 2^weight, and 2 / pi, modulo 4: as a fixed-point number of quarter
// turns with 128 bits behind the point, of which `high` and `low` are returned, and the quadrant.
struct Turn { unsigned long long high, low; int quadrant; };
HELPER Turn turns(unsigned long long mantissa, int weight) {
    // Bits of 2 / pi with weight above 2^(2 - weight) give multiples of four.
    int first = weight - 2 > 0 ? weight - 2 : 0;
    int word = first >> 6;
    int shift = first & 63;
    unsigned long long w[4];
    for (int i = 0; i < 4; ++i) {
        unsigned long long a = two_over_pi[word + i];
        unsigned long long b = two_over_pi[word + i + 1];
        w[i] = shift ? (a << shift) | (b >> (64 - shift)) : a;
    }
    // mantissa * w, 5 words of which the highest three above the fourth matter
    unsigned long long p3 = mantissa * w[3];
    unsigned long long c = multiply_high(mantissa, w[3]);
    unsigned long long p2 = mantissa * w[2] + c;
    unsigned long long d = multiply_high(mantissa, w[2]) + (p2 < c ? 1ull : 0ull);
    unsigned long long p1 = mantissa * w[1] + d;
    unsigned long long e = multiply_high(mantissa, w[1]) + (p1 < d ? 1ull : 0ull);
    unsigned long long p0 = mantissa * w[0] + e;
    unsigned long long top = multiply_high(mantissa, w[0]) + (p0 < e ? 1ull : 0ull);
    // The value is top:p0:p1:p2 times 2^up, with the point between top and p0.
    int up = weight - first;
    Turn t;
    if (up >= 0) {
        t.quadrant = (int)((top << up) | (up ? p0 >> (64 - up) : 0ull));
        t.high = up ? (p0 << up) | (p1 >> (64 - up)) : p0;
        t.low = up ? (p1 << up) | (p2 >> (64 - up)) : p1;
    } else {
        int down = -up;
        t.quadrant = down < 64 ? (int)(top >> down) : 0;
        t.high = down < 64 ? (top << (64 - down)) | (p0 >> down) : top;
        t.low = down < 64 ? (p0 << (64 - down)) | (p1 >> down) : p0;
    }
    return t;
}

HELPER ReducedD reduce_large(double x) {
    unsigned long long b = bits(x);
    int exponent = (int)((b >> 52) & 0x7ff);
    unsigned long long mantissa = (b & 0xfffffffffffffull) | 0x10000000000000ull;
    Turn t = turns(mantissa << 11, exponent - 1075 - 11);
    // To the nearest quarter turn: a signed fraction.
    bool up = t.high >> 63;
    int quadrant = t.quadrant + (up ? 1 : 0);
    unsigned long long high = up ? ~t.high : t.high;
    unsigned long long low = up ? ~t.low : t.low;
    // Normalised: many leading zeros near a multiple of pi / 2.
    int zeros = leading_zeros(high);
    zeros = zeros > 63 ? 63 : zeros;
    if (zeros) {
        high = (high << zeros) | (low >> (64 - zeros));
        low = low << zeros;
    }
    double s = power_of_two_d(-64 - zeros);
    double h = (double)(high >> 11 << 11) * s;
    double l = ((double)(high & 0x7ffull) + (double)(low >> 11) * 0x1p-53) * s;
    ReducedD r;
    PairD p = product_of(h, 0x1.921fb54442d18p+0);
    p.low = fused(h, 0x1.1a62633145c07p-54, fused(l, 0x1.921fb54442d18p+0, p.low));
    PairD q = sum_of(p.high, p.low);
    bool negative = up != (bool)(b >> 63);
    r.rest = negative ? -q.high : q.high;
    r.low = negative ? -q.low : q.low;
    r.quadrant = (b >> 63) ? -quadrant : quadrant;
    return r;
}
HELPER ReducedD reduce(double x) {
    if (magnitude(x) >= 0x1p30)
        return reduce_large(x);
    double t = fused(x, 0x1.45f306dc9c883p-1, 6755399441055744.0);
    double j = t - 6755399441055744.0;
    double a = fused(j, -0x1.921fb54442d18p+0, x);
    PairD p = product_of(j, -0x1.1a62633145c07p-54);
    ReducedD r;
    r.rest = a + p.high;
    double back = r.rest - a;
    r.low = (a - (r.rest - back)) + (p.high - back);
    r.low += fused(j, 0x1.f1976b7ed8fbcp-110, p.low);
    r.quadrant = (int)bits(t);
    return r;
}
HELPER ReducedF reduce(float x) {
    ReducedF r;
    if (magnitude(x) < 105615.0f) {
        float t = fused(x, 0x1.45f306p-1f, 12582912.0f);
        float j = t - 12582912.0f;
        r.rest = fused(j, -0x1.921fb4p+0f, x);
        r.rest = fused(j, -0x1.4442d0p-24f, r.rest);
        r.rest = fused(j, -0x1.846988p-48f, r.rest);
        r.quadrant = (int)(bits(t) - bits(12582912.0f));
        return r;
    }
    unsigned b = bits(x);
    unsigned long long mantissa = (unsigned long long)((b & 0x7fffffu) | 0x800000u) << 40;
    Turn t = turns(mantissa, (int)((b >> 23) & 255u) - 150 - 40);
    bool up = t.high >> 63;
    unsigned long long high = up ? ~t.high : t.high;
    int zeros = leading_zeros(high);
    zeros = zeros > 63 ? 63 : zeros;
    if (zeros)
        high = (high << zeros) | (t.low >> (64 - zeros));
    // The 64 bits times pi / 2, of which the upper half is kept.
    unsigned long long p = multiply_high(high, 0xc90fdaa22168c235ull);
    float h = (float)p * power_of_two_f(-63 - zeros);
    bool negative = up != (bool)(b >> 31);
    int quadrant = t.quadrant + (up ? 1 : 0);
    r.rest = negative ? -h : h;
    r.quadrant = (b >> 31) ? -quadrant : quadrant;
    return r;
}

HELPER float sin_kernel(float r) {
    float z = r * r;
    return fused(r * z, polynomial_sin_f(z), r);
}
HELPER float cos_kernel(float r) {
    float z = r * r;
    return fused(z * z, polynomial_cos_f(z), fused(z, -0.5f, 1.0f));
}
HELPER double sin_kernel(double r, double low) {
    double z = r * r;
    double p = polynomial_sin_d(z);
    return r + fused(r * z, p, low * fused(z, -0.5, 1.0));
}
HELPER double cos_kernel(double r, double low) {
    double z = r * r;
    double p = polynomial_cos_d(z);
    double h = 0.5 * z;
    double w = 1.0 - h;
    return w + (((1.0 - w) - h) + fused(z * z, p, -r * low));
}

// The sine of what is `quadrant` quarter turns further.
HELPER float quarter(ReducedF r, int quadrant) {
    float v = (quadrant & 1) ? cos_kernel(r.rest) : sin_kernel(r.rest);
    return (quadrant & 2) ? -v : v;
}
HELPER double quarter(ReducedD r, int quadrant) {
    double v = (quadrant & 1) ? cos_kernel(r.rest, r.low) : sin_kernel(r.rest, r.low);
    return (quadrant & 2) ? -v : v;
}

FUNCTION float __nv_sinf(float x) {
    if (!(magnitude(x) < INFINITY_F))
        return x - x;
    if (x == 0.0f)
        return x;
    ReducedF r = reduce(x);
    return quarter(r, r.quadrant);
}
FUNCTION float __nv_cosf(float x) {
    if (!(magnitude(x) < INFINITY_F))
        return x - x;
    ReducedF r = reduce(x);
    return quarter(r, r.quadrant + 1);
}
FUNCTION void __nv_sincosf(float x, float *sine, float *cosine) {
    if (!(magnitude(x) < INFINITY_F)) {
        *sine = x - x;
        *cosine = x - x;
        return;
    }
    ReducedF r = reduce(x);
    *sine = x == 0.0f ? x : quarter(r, r.quadrant);
    *cosine = quarter(r, r.quadrant + 1);
}
FUNCTION float __nv_tanf(float x) {
    if (!(magnitude(x) < INFINITY_F))
        return x - x;
    if (x == 0.0f)
        return x;
    ReducedF r = reduce(x);
    float z = r.rest * r.rest;
    float t = fused(r.rest * z, polynomial_tan_f(z), r.rest);
    return (r.quadrant & 1) ? -1.0f / t : t;
}
FUNCTION double __nv_sin(double x) {
    if (!(magnitude(x) < INFINITY_D))
        return x - x;
    if (x == 0.0)
        return x;
    ReducedD r = reduce(x);
    return quarter(r, r.quadrant);
}
FUNCTION double __nv_cos(double x) {
    if (!(magnitude(x) < INFINITY_D))
        return x - x;
    ReducedD r = reduce(x);
    return quarter(r, r.quadrant + 1);
}
FUNCTION void __nv_sincos(double x, double *sine, double *cosine) {
    if (!(magnitude(x) < INFINITY_D)) {
        *sine = x - x;
        *cosine = x - x;
        return;
    }
    ReducedD r = reduce(x);
    *sine = x == 0.0 ? x : quarter(r, r.quadrant);
    *cosine = quarter(r, r.quadrant + 1);
}
FUNCTION double __nv_tan(double x) {
    if (!(magnitude(x) < INFINITY_D))
        return x - x;
    if (x == 0.0)
        return x;
    ReducedD r = reduce(x);
    double z = r.rest * r.rest;
    double q = fused(r.rest * z, polynomial_tan_d(z), fused(r.low, z, r.low));
    PairD t = sum_of(r.rest, q);
    if (!(r.quadrant & 1))
        return t.high;
    double v = -1.0 / t.high;
    // -1 / (high + low), the rest of the division put right
    double e = fused(t.high, v, 1.0) + t.low * v;
    return fused(v, e, v);
}

// sin(pi x), cos(pi x): quarter turns are exact.
HELPER float sinpi_kernel(float r) {
    float z = r * r;
    float p = polynomial_sinpi_f(z);
    return fused(r, 0x1.921fb6p+1f, fused(r * z, p, r * -0x1.777a5cp-24f));
}
HELPER float cospi_kernel(float r) {
    float z = r * r;
    return fused(z, polynomial_cospi_f(z), 1.0f);
}
HELPER double sinpi_kernel(double r) {
    double z = r * r;
    double p = polynomial_sinpi_d(z);
    return fused(r, 0x1.921fb54442d18p+1, fused(r * z, p, r * 0x1.1a62633145c07p-53));
}
HELPER double cospi_kernel(double r) {
    double z = r * r;
    return fused(z, polynomial_cospi_d(z), 1.0);
}
HELPER float sinpi_of(float r, int q) {
    float v = (q & 1) ? cospi_kernel(r) : sinpi_kernel(r);
    return (q & 2) ? -v : v;
}
HELPER double sinpi_of(double r, int q) {
    double v = (q & 1) ? cospi_kernel(r) : sinpi_kernel(r);
    return (q & 2) ? -v : v;
}
FUNCTION float __nv_sinpif(float x) {
    if (!(magnitude(x) < INFINITY_F))
        return x - x;
    if (magnitude(x) >= 0x1p23f)
        return x * 0.0f;
    float j = __builtin_rintf(x + x);
    float r = fused(j, -0.5f, x);
    int q = (int)j;
    float v = sinpi_of(r, q);
    return v == 0.0f ? x * 0.0f : v;
}
FUNCTION float __nv_cospif(float x) {
    if (!(magnitude(x) < INFINITY_F))
        return x - x;
    if (magnitude(x) >= 0x1p24f)
        return 1.0f;
    float j = __builtin_rintf(x + x);
    return sinpi_of(fused(j, -0.5f, x), (int)j + 1) + 0.0f;
}
FUNCTION void __nv_sincospif(float x, float *sine, float *cosine) {
    *sine = __nv_sinpif(x);
    *cosine = __nv_cospif(x);
}
FUNCTION double __nv_sinpi(double x) {
    if (!(magnitude(x) < INFINITY_D))
        return x - x;
    if (magnitude(x) >= 0x1p52)
        return x * 0.0;
    double j = __builtin_rint(x + x);
    double v = sinpi_of(fused(j, -0.5, x), (int)(long long)j);
    return v == 0.0 ? x * 0.0 : v;
}
FUNCTION double __nv_cospi(double x) {
    if (!(magnitude(x) < INFINITY_D))
        return x - x;
    if (magnitude(x) >= 0x1p53)
        return 1.0;
    double j = __builtin_rint(x + x);
    return sinpi_of(fused(j, -0.5, x), (int)((long long)j + 1)) + 0.0;
}
FUNCTION void __nv_sincospi(double x, double *sine, double *cosine) {
    *sine = __nv_sinpi(x);
    *cosine = __nv_cospi(x);
}

#define HALF_PI_F 0x1.921fb6p+0f
#define HALF_PI_LOW_F -0x1.777a5cp-25f
#define HALF_PI_D 0x1.921fb54442d18p+0
#define HALF_PI_LOW_D 0x1.1a62633145c07p-54

// asin(s) - s by z = s^2 <= 1/4.
HELPER float asin_tail(float s, float z) { return s * z * polynomial_asin_f(z); }
HELPER double asin_tail(double s, double z) { return s * z * polynomial_asin_d(z); }

FUNCTION float __nv_asinf(float x) {
    float a = magnitude(x);
    if (!(a <= 0.5f)) {
        float z = fused(a, -0.5f, 0.5f);
        float s = root(z); // NaN beyond 1
        float t = s + asin_tail(s, z);
        return with_sign(fused(-2.0f, t, HALF_PI_LOW_F) + HALF_PI_F, x);
    }
    return x + asin_tail(x, x * x);
}
FUNCTION float __nv_acosf(float x) {
    float a = magnitude(x);
    if (!(a <= 0.5f)) {
        float z = fused(a, -0.5f, 0.5f);
        float s = root(z);
        float t = 2.0f * (s + asin_tail(s, z));
        return x < 0.0f ? 2.0f * HALF_PI_F + (2.0f * HALF_PI_LOW_F - t) : t;
    }
    return HALF_PI_F - (x + (asin_tail(x, x * x) - HALF_PI_LOW_F));
}
FUNCTION double __nv_asin(double x) {
    double a = magnitude(x);
    if (!(a <= 0.5)) {
        double z = fused(a, -0.5, 0.5);
        double s = root(z);
        double rest = s == 0.0 ? 0.0 : fused(-s, s, z) / (s + s);
        double t = s + (asin_tail(s, z) + rest);
        PairD d = sum_of(HALF_PI_D, -2.0 * s);
        double tail = asin_tail(s, z) + rest;
        double r = d.high + (d.low + fused(-2.0, tail, HALF_PI_LOW_D));
        return with_sign(t == t ? r : t, x);
    }
    return x + asin_tail(x, x * x);
}
FUNCTION double __nv_acos(double x) {
    double a = magnitude(x);
    if (!(a <= 0.5)) {
        double z = fused(a, -0.5, 0.5);
        double s = root(z);
        double rest = s == 0.0 ? 0.0 : fused(-s, s, z) / (s + s);
        double t = 2.0 * (s + (asin_tail(s, z) + rest));
        return x < 0.0 ? 2.0 * HALF_PI_D - (t - 2.0 * HALF_PI_LOW_D) : t;
    }
    return HALF_PI_D - (x + (asin_tail(x, x * x) - HALF_PI_LOW_D));
}

HELPER float atan_unit(float a) {
    float z = a * a;
    return fused(a * z, polynomial_atan_f(z), a);
}
HELPER double atan_tail(double a) {
    double z = a * a;
    return a * z * polynomial_atan_d(z);
}
FUNCTION float __nv_atanf(float x) {
    float a = magnitude(x);
    float r = atan_unit(a > 1.0f ? 1.0f / a : a);
    return with_sign(a > 1.0f ? HALF_PI_F - (r - HALF_PI_LOW_F) : r, x);
}
FUNCTION double __nv_atan(double x) {
    double a = magnitude(x);
    if (!(a > 1.0))
        return with_sign(x + atan_tail(x), x);
    double q = 1.0 / a;
    double t = atan_tail(q);
    PairD d = sum_of(HALF_PI_D, -q);
    return with_sign(d.high + (d.low + (HALF_PI_LOW_D - t)), x);
}
FUNCTION float __nv_atan2f(float y, float x) {
    float a = magnitude(x), b = magnitude(y);
    if (!(a <= INFINITY_F && b <= INFINITY_F))
        return x + y;
    float small = a < b ? a : b, large = a < b ? b : a;
    float q = large == 0.0f ? 0.0f : small == large ? 1.0f : small / large;
    float r = atan_unit(q);
    r = b > a ? HALF_PI_F - (r - HALF_PI_LOW_F) : r;
    r = (bits(x) >> 31) ? 2.0f * HALF_PI_F - (r - 2.0f * HALF_PI_LOW_F) : r;
    return with_sign(r, y);
}
FUNCTION double __nv_atan2(double y, double x) {
    double a = magnitude(x), b = magnitude(y);
    if (!(a <= INFINITY_D && b <= INFINITY_D))
        return x + y;
    double small = a < b ? a : b, large = a < b ? b : a;
    double q = large == 0.0 ? 0.0 : small == large ? 1.0 : small / large;
    double t = atan_tail(q);
    double r;
    if (b > a) {
        PairD d = sum_of(HALF_PI_D, -q);
        PairD e = (bits(x) >> 63) ? sum_of(HALF_PI_D, q) : d;
        r = e.high + (e.low + ((bits(x) >> 63) ? HALF_PI_LOW_D + t : HALF_PI_LOW_D - t));
    } else if (bits(x) >> 63) {
        PairD d = sum_of(2.0 * HALF_PI_D, -q);
        r = d.high + (d.low + (2.0 * HALF_PI_LOW_D - t));
    } else {
        r = q + t;
    }
    return with_sign(r, y);
}
