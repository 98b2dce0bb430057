// Lengths of vectors of two to four and of any number of coordinates, and their reciprocals, without overflow on the way.

#pragma once
#include "common.cuh"

// The power of two by which the greatest coordinate comes near one; one where it is zero, infinite or NaN.
HELPER float unit_scale(float a) {
    unsigned e = bits(a) & 0x7f800000u;
    e = e < 0x01000000u ? 0x01000000u : e;
    return a < INFINITY_F ? from_bits(0x7f000000u - (e > 0x7e000000u ? 0x7e000000u : e)) : 1.0f;
}
HELPER double unit_scale(double a) {
    unsigned long long e = bits(a) & 0x7ff0000000000000ull;
    e = e < 0x0020000000000000ull ? 0x0020000000000000ull : e;
    return a < INFINITY_D ? from_bits(0x7fe0000000000000ull - (e > 0x7fc0000000000000ull ? 0x7fc0000000000000ull : e)) : 1.0;
}
HELPER float greater(float a, float b) { return a > b ? a : b; }
HELPER double greater(double a, double b) { return a > b ? a : b; }

#define INFINITE_F(a) (magnitude(a) == INFINITY_F)
#define INFINITE_D(a) (magnitude(a) == INFINITY_D)

HELPER float square_sum(float a, float b, float c, float d, float s) {
    a *= s, b *= s, c *= s, d *= s;
    return fused(a, a, fused(b, b, fused(c, c, d * d)));
}
HELPER double square_sum(double a, double b, double c, double d, double s) {
    a *= s, b *= s, c *= s, d *= s;
    return fused(a, a, fused(b, b, fused(c, c, d * d)));
}
HELPER float length(float a, float b, float c, float d) {
    if (INFINITE_F(a) || INFINITE_F(b) || INFINITE_F(c) || INFINITE_F(d))
        return INFINITY_F;
    float s = unit_scale(greater(greater(magnitude(a), magnitude(b)), greater(magnitude(c), magnitude(d))));
    return root(square_sum(a, b, c, d, s)) * (1.0f / s);
}
HELPER double length(double a, double b, double c, double d) {
    if (INFINITE_D(a) || INFINITE_D(b) || INFINITE_D(c) || INFINITE_D(d))
        return INFINITY_D;
    double s = unit_scale(greater(greater(magnitude(a), magnitude(b)), greater(magnitude(c), magnitude(d))));
    return root(square_sum(a, b, c, d, s)) * (1.0 / s);
}
HELPER float reciprocal_length(float a, float b, float c, float d) {
    if (INFINITE_F(a) || INFINITE_F(b) || INFINITE_F(c) || INFINITE_F(d))
        return 0.0f;
    float s = unit_scale(greater(greater(magnitude(a), magnitude(b)), greater(magnitude(c), magnitude(d))));
    return __nvvm_rsqrt_approx_f(square_sum(a, b, c, d, s)) * s;
}
HELPER double reciprocal_length(double a, double b, double c, double d) {
    if (INFINITE_D(a) || INFINITE_D(b) || INFINITE_D(c) || INFINITE_D(d))
        return 0.0;
    double s = unit_scale(greater(greater(magnitude(a), magnitude(b)), greater(magnitude(c), magnitude(d))));
    return 1.0 / root(square_sum(a, b, c, d, s)) * s;
}
// The two coordinates in order, so that the result does not depend on it.
FUNCTION float __nv_hypotf(float x, float y) {
    float a = magnitude(x), b = magnitude(y);
    return a < b ? length(b, a, 0.0f, 0.0f) : length(a, b, 0.0f, 0.0f);
}
FUNCTION double __nv_hypot(double x, double y) {
    double a = magnitude(x), b = magnitude(y);
    return a < b ? length(b, a, 0.0, 0.0) : length(a, b, 0.0, 0.0);
}
FUNCTION float __nv_rhypotf(float x, float y) { return reciprocal_length(x, y, 0.0f, 0.0f); }
FUNCTION double __nv_rhypot(double x, double y) { return reciprocal_length(x, y, 0.0, 0.0); }
FUNCTION float __nv_norm3df(float a, float b, float c) { return length(a, b, c, 0.0f); }
FUNCTION double __nv_norm3d(double a, double b, double c) { return length(a, b, c, 0.0); }
FUNCTION float __nv_rnorm3df(float a, float b, float c) { return reciprocal_length(a, b, c, 0.0f); }
FUNCTION double __nv_rnorm3d(double a, double b, double c) { return reciprocal_length(a, b, c, 0.0); }
FUNCTION float __nv_norm4df(float a, float b, float c, float d) { return length(a, b, c, d); }
FUNCTION double __nv_norm4d(double a, double b, double c, double d) { return length(a, b, c, d); }
FUNCTION float __nv_rnorm4df(float a, float b, float c, float d) { return reciprocal_length(a, b, c, d); }
FUNCTION double __nv_rnorm4d(double a, double b, double c, double d) { return reciprocal_length(a, b, c, d); }

// Two passes: the greatest coordinate, then the scaled sum of squares.
FUNCTION float __nv_normf(int n, const float *p) {
    float m = 0.0f;
    for (int i = 0; i < n; ++i)
        m = greater(magnitude(p[i]), m);
    if (m == INFINITY_F)
        return m;
    float s = unit_scale(m), t = 0.0f;
    for (int i = 0; i < n; ++i)
        t = fused(p[i] * s, p[i] * s, t);
    return root(t) * (1.0f / s);
}
FUNCTION double __nv_norm(int n, const double *p) {
    double m = 0.0;
    for (int i = 0; i < n; ++i)
        m = greater(magnitude(p[i]), m);
    if (m == INFINITY_D)
        return m;
    double s = unit_scale(m), t = 0.0;
    for (int i = 0; i < n; ++i)
        t = fused(p[i] * s, p[i] * s, t);
    return root(t) * (1.0 / s);
}
FUNCTION float __nv_rnormf(int n, const float *p) { return 1.0f / __nv_normf(n, p); }
FUNCTION double __nv_rnorm(int n, const double *p) { return 1.0 / __nv_norm(n, p); }
