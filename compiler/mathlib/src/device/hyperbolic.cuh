// sinh, cosh, tanh, asinh, acosh, atanh, float and double.

#pragma once
#include "exponential.cuh"
#include "logarithm.cuh"

HELPER float polynomial_tanh_f(float x) {
    float p = -0x1.b032bp-8f;
    p = fused(p, x, 0x1.5cf332p-6f);
    p = fused(p, x, -0x1.b99a82p-5f);
    p = fused(p, x, 0x1.110fc8p-3f);
    p = fused(p, x, -0x1.555554p-2f);
    return p;
}
HELPER double polynomial_tanh_d(double x) {
    double p = -0x1.58b4cdf8153aep-16;
    p = fused(p, x, 0x1.649ac96bf8f57p-14);
    p = fused(p, x, -0x1.ebee235192f5dp-13);
    p = fused(p, x, 0x1.34c24a28df622p-11);
    p = fused(p, x, -0x1.7d9767f993f7dp-10);
    p = fused(p, x, 0x1.d6d331468c084p-9);
    p = fused(p, x, -0x1.226e32bf51602p-7);
    p = fused(p, x, 0x1.664f4875a915fp-6);
    p = fused(p, x, -0x1.ba1ba1b9f8f84p-5);
    p = fused(p, x, 0x1.1111111110fdap-3);
    p = fused(p, x, -0x1.5555555555555p-2);
    return p;
}

// e^a / 2 for a beyond the range of e^a.
HELPER float half_exp(float a) {
    float h = __nv_expf(a - 1.0f);
    return h * 0x1.5bf0a8p+0f;
}
HELPER double half_exp(double a) {
    double h = exponential_d(a > 720.0 ? 720.0 : 0.5 * a, 0.0);
    return a > 720.0 ? INFINITY_D : (0.5 * h) * h;
}

FUNCTION float __nv_sinhf(float x) {
    float a = magnitude(x);
    if (a >= 88.0f)
        return with_sign(half_exp(a), x);
    float t = __nv_expm1f(a);
    float r = 0.5f * (t + t / (t + 1.0f));
    return a == 0.0f ? x : with_sign(r, x);
}
FUNCTION float __nv_coshf(float x) {
    float a = magnitude(x);
    if (a >= 88.0f)
        return half_exp(a);
    float t = __nv_expf(a);
    return fused(0.5f, t, 0.5f / t);
}
FUNCTION float __nv_tanhf(float x) {
    float a = magnitude(x);
    if (a > 10.0f)
        return with_sign(1.0f, x);
    if (a >= 0.55f) {
        float e = __nv_expf(2.0f * a) + 1.0f;
        return with_sign(fused(-2.0f, 1.0f / e, 1.0f), x);
    }
    float z = x * x;
    return x == 0.0f ? x : fused(x * z, polynomial_tanh_f(z), x);
}
FUNCTION float __nv_asinhf(float x) {
    float a = magnitude(x);
    if (!(a < 0x1p60f))
        return a < INFINITY_F ? with_sign(__nv_logf(a) + 0x1.62e430p-1f, x) : x + x;
    float q = a * a / (1.0f + root(fused(a, a, 1.0f)));
    return x == 0.0f ? x : with_sign(log1p_ordinary(a + q), x);
}
FUNCTION float __nv_acoshf(float x) {
    if (!(x < 0x1p60f))
        return x < INFINITY_F ? __nv_logf(x) + 0x1.62e430p-1f : x + x;
    float t = x - 1.0f;
    return t < 0.0f ? NAN_F : __nv_log1pf(t + root(fused(t, t, t + t)));
}
FUNCTION float __nv_atanhf(float x) {
    float a = magnitude(x);
    float t = 2.0f * a / (1.0f - a);
    float r = 0.5f * __nv_log1pf(t);
    return a > 1.0f ? NAN_F : x == 0.0f ? x : with_sign(r, x);
}

FUNCTION double __nv_sinh(double x) {
    double a = magnitude(x);
    if (a >= 709.0)
        return with_sign(half_exp(a), x);
    double t = __nv_expm1(a);
    double r = 0.5 * (t + t / (t + 1.0));
    return a == 0.0 ? x : with_sign(r, x);
}
FUNCTION double __nv_cosh(double x) {
    double a = magnitude(x);
    if (a >= 709.0)
        return half_exp(a);
    double t = __nv_exp(a);
    return fused(0.5, t, 0.5 / t);
}
FUNCTION double __nv_tanh(double x) {
    double a = magnitude(x);
    if (a > 20.0)
        return with_sign(1.0, x);
    if (a >= 0.55) {
        double e = __nv_exp(2.0 * a) + 1.0;
        return with_sign(1.0 - 2.0 / e, x);
    }
    double z = x * x;
    return x == 0.0 ? x : fused(x * z, polynomial_tanh_d(z), x);
}
FUNCTION double __nv_asinh(double x) {
    double a = magnitude(x);
    if (!(a < 0x1p500))
        return a < INFINITY_D ? with_sign(__nv_log(a) + 0x1.62e42fefa39efp-1, x) : x + x;
    double q = a * a / (1.0 + root(fused(a, a, 1.0)));
    return x == 0.0 ? x : with_sign(__nv_log1p(a + q), x);
}
FUNCTION double __nv_acosh(double x) {
    if (!(x < 0x1p500))
        return x < INFINITY_D ? __nv_log(x) + 0x1.62e42fefa39efp-1 : x + x;
    double t = x - 1.0;
    return t < 0.0 ? NAN_D : __nv_log1p(t + root(fused(t, t, t + t)));
}
FUNCTION double __nv_atanh(double x) {
    double a = magnitude(x);
    double t = 2.0 * a / (1.0 - a);
    double r = 0.5 * __nv_log1p(t);
    return a > 1.0 ? NAN_D : x == 0.0 ? x : with_sign(r, x);
}
