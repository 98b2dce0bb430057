// erf, erfc, erfcx, their inverses, and the normal distribution, float and double.

#pragma once
#include "power.cuh"

HELPER float polynomial_erf_f(float x) {
    float p = -0x1.3ba81p-11f;
    p = fused(p, x, 0x1.47a2fcp-8f);
    p = fused(p, x, -0x1.b69df6p-6f);
    p = fused(p, x, 0x1.ce1bc8p-4f);
    p = fused(p, x, -0x1.8126eep-2f);
    p = fused(p, x, 0x1.06eba6p-3f);
    return p;
}
HELPER float polynomial_erfl_f(float x) {
    float p = -0x1.bac272p-21f;
    p = fused(p, x, 0x1.00477cp-15f);
    p = fused(p, x, -0x1.ee1a22p-12f);
    p = fused(p, x, 0x1.13123ap-8f);
    p = fused(p, x, -0x1.97ffep-6f);
    p = fused(p, x, 0x1.b8882cp-4f);
    p = fused(p, x, 0x1.44ca2ep-1f);
    p = fused(p, x, 0x1.20fcp+0f);
    return p;
}
HELPER float polynomial_erfcx_f(float x) {
    float p = -0x1.813704p-16f;
    p = fused(p, x, 0x1.0af76p-14f);
    p = fused(p, x, 0x1.e30aecp-13f);
    p = fused(p, x, -0x1.781f5ap-12f);
    p = fused(p, x, -0x1.82a7a4p-10f);
    p = fused(p, x, 0x1.3f5808p-10f);
    p = fused(p, x, 0x1.1e19ccp-7f);
    p = fused(p, x, -0x1.06c6eap-7f);
    p = fused(p, x, -0x1.bc3012p-5f);
    p = fused(p, x, 0x1.4ff932p-3f);
    p = fused(p, x, -0x1.54079ep-3f);
    p = fused(p, x, -0x1.7bf5dcp-4f);
    p = fused(p, x, 0x1.46e80ep+0f);
    return p;
}
HELPER double polynomial_erfcx_d(double x) {
    double p = 0x1.ef5fbbc52c11ap-31;
    p = fused(p, x, 0x1.b18932f8b43f2p-30);
    p = fused(p, x, -0x1.a2502106e5f03p-27);
    p = fused(p, x, -0x1.1991ada07a673p-26);
    p = fused(p, x, 0x1.c6e0c5f95f872p-24);
    p = fused(p, x, 0x1.31c59e2715b6fp-24);
    p = fused(p, x, -0x1.b87eaa5c9bb04p-21);
    p = fused(p, x, 0x1.3fefbde66995cp-22);
    p = fused(p, x, 0x1.7eed6a021cf19p-18);
    p = fused(p, x, -0x1.78a69235652e2p-17);
    p = fused(p, x, -0x1.99522c93d45efp-16);
    p = fused(p, x, 0x1.3be1267d280d1p-13);
    p = fused(p, x, -0x1.a1df6e1986c4p-13);
    p = fused(p, x, -0x1.8d4aaa287b342p-11);
    p = fused(p, x, 0x1.49c672fffde0ap-8);
    p = fused(p, x, -0x1.0962386e38f8dp-6);
    p = fused(p, x, 0x1.3079edf48774ep-5);
    p = fused(p, x, -0x1.0fb06dfee11d8p-4);
    p = fused(p, x, 0x1.7fee004e24e9p-4);
    p = fused(p, x, -0x1.9ddb23c3e0d28p-4);
    p = fused(p, x, 0x1.16ecefcfa496bp-4);
    p = fused(p, x, 0x1.f7f5df66fc093p-7);
    p = fused(p, x, -0x1.1df1ad154a281p-3);
    p = fused(p, x, 0x1.3ba5916e9fd7fp+0);
    return p;
}
HELPER double polynomial_erf_d(double x) {
    double p = -0x1.ac1a645a39022p-31;
    p = fused(p, x, 0x1.d73d7f986bfe1p-27);
    p = fused(p, x, -0x1.5c0bc4a3a3854p-23);
    p = fused(p, x, 0x1.b9807f60d404dp-20);
    p = fused(p, x, -0x1.f4ca5bb83e538p-17);
    p = fused(p, x, 0x1.f9a2bb4c0d9a4p-14);
    p = fused(p, x, -0x1.c02db03ff9594p-11);
    p = fused(p, x, 0x1.565bccf908965p-8);
    p = fused(p, x, -0x1.b82ce311f706cp-6);
    p = fused(p, x, 0x1.ce2f21a040b02p-4);
    p = fused(p, x, -0x1.812746b0379b5p-2);
    p = fused(p, x, 0x1.06eba8214db68p-3);
    return p;
}
HELPER float polynomial_erfinv_lo_f(float x) {
    float p = -0x1.7b8c72p-33f;
    p = fused(p, x, -0x1.2abe82p-27f);
    p = fused(p, x, 0x1.cddc2ep-26f);
    p = fused(p, x, 0x1.f2ff4ep-22f);
    p = fused(p, x, -0x1.d48636p-19f);
    p = fused(p, x, -0x1.4c9706p-18f);
    p = fused(p, x, 0x1.ca19aep-13f);
    p = fused(p, x, -0x1.48671p-10f);
    p = fused(p, x, -0x1.11c722p-8f);
    p = fused(p, x, 0x1.f91e8cp-3f);
    p = fused(p, x, 0x1.805c5ep+0f);
    return p;
}
HELPER float polynomial_erfinv_hi_f(float x) {
    float p = 0x1.c1e784p-14f;
    p = fused(p, x, -0x1.3a02d2p-12f);
    p = fused(p, x, -0x1.830876p-15f);
    p = fused(p, x, 0x1.81ec2cp-10f);
    p = fused(p, x, -0x1.d827dep-9f);
    p = fused(p, x, 0x1.750baap-8f);
    p = fused(p, x, -0x1.f473bap-8f);
    p = fused(p, x, 0x1.357aecp-7f);
    p = fused(p, x, 0x1.006dc4p+0f);
    p = fused(p, x, 0x1.6a9efcp+1f);
    return p;
}
HELPER float polynomial_erfcinv_hi_f(float x) {
    float p = 0x1.7b4f58p-27f;
    p = fused(p, x, -0x1.788f62p-23f);
    p = fused(p, x, 0x1.a26fd4p-20f);
    p = fused(p, x, -0x1.97310ap-17f);
    p = fused(p, x, 0x1.7cc2c4p-14f);
    p = fused(p, x, -0x1.4a8d38p-11f);
    p = fused(p, x, 0x1.ff5614p-9f);
    p = fused(p, x, 0x1.f66b72p-1f);
    return p;
}
HELPER double polynomial_erfinv_lo_d(double x) {
    double p = -0x1.091a27ca2f0a6p-69;
    p = fused(p, x, -0x1.8d71d0c09544fp-63);
    p = fused(p, x, 0x1.5d85d6bfc0833p-60);
    p = fused(p, x, 0x1.9b52269c96ec7p-57);
    p = fused(p, x, -0x1.2df731333d18p-53);
    p = fused(p, x, 0x1.8667bd018bb91p-56);
    p = fused(p, x, 0x1.dc0ed6b9230b3p-48);
    p = fused(p, x, -0x1.6d392ae3ed837p-45);
    p = fused(p, x, -0x1.6dfd8bb06f90dp-44);
    p = fused(p, x, 0x1.72a2c499d883ep-39);
    p = fused(p, x, -0x1.c89195b481fb7p-37);
    p = fused(p, x, -0x1.dc5868de043aap-35);
    p = fused(p, x, 0x1.20f4cdbd5e6c8p-30);
    p = fused(p, x, -0x1.1a9e37dfcae34p-28);
    p = fused(p, x, -0x1.f36ce184adc0bp-26);
    p = fused(p, x, 0x1.c6b4f5c95cd06p-22);
    p = fused(p, x, -0x1.6e8a53ffa54cfp-20);
    p = fused(p, x, -0x1.d1d1f7b83e7d9p-17);
    p = fused(p, x, 0x1.879c2a20eab4cp-13);
    p = fused(p, x, -0x1.845769485029dp-11);
    p = fused(p, x, -0x1.8b6c33114f028p-8);
    p = fused(p, x, 0x1.ebd80d9b13e29p-3);
    p = fused(p, x, 0x1.a755e7c99ae86p+0);
    return p;
}
HELPER double polynomial_erfinv_mid_d(double x) {
    double p = 0x1.3249cad8d1b63p-27;
    p = fused(p, x, -0x1.076619fcc6ebap-26);
    p = fused(p, x, -0x1.a651f0e2b4b5p-26);
    p = fused(p, x, 0x1.1abf06b844638p-23);
    p = fused(p, x, -0x1.0294fed0a1a43p-22);
    p = fused(p, x, -0x1.dc1cebe168729p-26);
    p = fused(p, x, 0x1.8cd14bc2e4c06p-20);
    p = fused(p, x, -0x1.0b78c3ffe07abp-18);
    p = fused(p, x, 0x1.89ccda15010b5p-19);
    p = fused(p, x, 0x1.a2418a007c368p-17);
    p = fused(p, x, -0x1.8cf541c19bd3ep-15);
    p = fused(p, x, 0x1.1e6abdddc884bp-14);
    p = fused(p, x, 0x1.932edd1972c73p-16);
    p = fused(p, x, -0x1.7448bcdca0667p-12);
    p = fused(p, x, 0x1.f3cc541cfe48dp-11);
    p = fused(p, x, -0x1.ba9240d8060cp-10);
    p = fused(p, x, 0x1.468eecaa32be1p-9);
    p = fused(p, x, -0x1.ebadabba0538fp-9);
    p = fused(p, x, 0x1.5ffcfe5b69ae6p-8);
    p = fused(p, x, 0x1.0158a6d641d55p+0);
    p = fused(p, x, 0x1.8abcc380d5a48p+1);
    return p;
}
HELPER double polynomial_erfinv_hi_d(double x) {
    double p = 0x1.92a4e2547beccp-38;
    p = fused(p, x, -0x1.77c9a4deb423ap-36);
    p = fused(p, x, 0x1.112eac055d611p-36);
    p = fused(p, x, 0x1.467227dbe1ab4p-34);
    p = fused(p, x, -0x1.a47c061d59063p-32);
    p = fused(p, x, 0x1.672680726023p-30);
    p = fused(p, x, -0x1.e57a834fa6143p-29);
    p = fused(p, x, 0x1.0d199689433aep-27);
    p = fused(p, x, -0x1.056376a19b7e3p-26);
    p = fused(p, x, 0x1.f26b44faacffap-26);
    p = fused(p, x, -0x1.22388df30d1e1p-24);
    p = fused(p, x, 0x1.ebe49e1cb4214p-23);
    p = fused(p, x, -0x1.0a90329e987a1p-20);
    p = fused(p, x, 0x1.2fbcfab4b3354p-18);
    p = fused(p, x, -0x1.4a3490478999cp-16);
    p = fused(p, x, 0x1.3ebf4f00d7a2cp-14);
    p = fused(p, x, -0x1.c2f36aa14fd0bp-13);
    p = fused(p, x, -0x1.22ea5df1f66afp-13);
    p = fused(p, x, 0x1.02a30d1fba10bp+0);
    p = fused(p, x, 0x1.3664ddd1ad7fbp+2);
    return p;
}
HELPER double polynomial_erfcinv_mid_d(double x) {
    double p = -0x1.b5691da93780cp+29;
    p = fused(p, x, 0x1.5921d20bde43cp+31);
    p = fused(p, x, -0x1.01526feffb558p+32);
    p = fused(p, x, 0x1.e26b8999bad08p+31);
    p = fused(p, x, -0x1.3f08972c3742fp+31);
    p = fused(p, x, 0x1.3ca37ace8ef43p+30);
    p = fused(p, x, -0x1.e9a9f369c071cp+28);
    p = fused(p, x, 0x1.2e3d36be85278p+27);
    p = fused(p, x, -0x1.2eb817f00a4bp+25);
    p = fused(p, x, 0x1.f161e4343d506p+22);
    p = fused(p, x, -0x1.51957bfd31629p+20);
    p = fused(p, x, 0x1.7c83de42541aep+17);
    p = fused(p, x, -0x1.65ed2e60e8f09p+14);
    p = fused(p, x, 0x1.1ba8c02c715d2p+11);
    p = fused(p, x, -0x1.866dc74fa310ap+7);
    p = fused(p, x, 0x1.0a54a04ed30d2p+4);
    p = fused(p, x, -0x1.cc01ea8b28c59p+0);
    p = fused(p, x, -0x1.336e94514345ep-7);
    p = fused(p, x, 0x1.0002b6cc9521ep+0);
    return p;
}
HELPER double polynomial_erfcinv_hi_d(double x) {
    double p = 0x1.3d488558bb29cp+47;
    p = fused(p, x, -0x1.87c2cdb7349e3p+47);
    p = fused(p, x, 0x1.c69e382df8733p+46);
    p = fused(p, x, -0x1.497c327ff76f5p+45);
    p = fused(p, x, 0x1.4e60179847b01p+43);
    p = fused(p, x, -0x1.f8de0255f4f4p+40);
    p = fused(p, x, 0x1.2615158e56fb2p+38);
    p = fused(p, x, -0x1.0e9f2c02dcfb2p+35);
    p = fused(p, x, 0x1.8f96417104eeep+31);
    p = fused(p, x, -0x1.de56d279a6aa7p+27);
    p = fused(p, x, 0x1.d3b735188dfbdp+23);
    p = fused(p, x, -0x1.7821e09d4cd2dp+19);
    p = fused(p, x, 0x1.f73af467b7d28p+14);
    p = fused(p, x, -0x1.211b9a8db8903p+10);
    p = fused(p, x, 0x1.462e03a76b69bp+5);
    p = fused(p, x, -0x1.1f9127798dbeep+1);
    p = fused(p, x, -0x1.f24e417053759p-9);
    p = fused(p, x, 0x1.0000713aefb49p+0);
    return p;
}

FUNCTION float __nv_erff(float x) {
    float a = magnitude(x);
    if (a < 0.92f)
        return fused(x, polynomial_erf_f(x * x), x);
    float t = a < 4.0f ? a : 4.0f;
    float r = 1.0f - __nv_expf(-t * polynomial_erfl_f(t));
    return a >= 4.0f ? with_sign(1.0f, x) : with_sign(r, x + r);
}
// e^(x^2) erfc(x) for x >= 0
HELPER float erfcx_positive(float x) {
    if (x > 1.0e18f)
        return 0x1.20dd76p-1f / x;
    float q = (x - 2.0f) / (x + 2.0f);
    return polynomial_erfcx_f(q) / fused(2.0f, x, 1.0f);
}
HELPER double erfcx_positive(double x) {
    if (x > 1.0e18)
        return 0x1.20dd750429b6dp-1 / x;
    double q = (x - 4.0) / (x + 4.0);
    return polynomial_erfcx_d(q) / fused(2.0, x, 1.0);
}
// e^(-x^2)
HELPER float exp_of_square(float x, bool negative) {
    PairF p = product_of(x, x);
    if (negative) {
        p.high = -p.high;
        p.low = -p.low;
    }
    return exp_pair(p);
}
HELPER double exp_of_square(double x, bool negative) {
    PairD p = product_of(x, x);
    if (p.high > 800.0)
        return negative ? 0.0 : INFINITY_D;
    return negative ? exponential_d(-p.high, -p.low) : exponential_d(p.high, p.low);
}
FUNCTION float __nv_erfcxf(float x) {
    if (x >= 0.0f)
        return x == INFINITY_F ? 0.0f : erfcx_positive(x);
    if (x != x)
        return x;
    if (x < -9.5f)
        return INFINITY_F;
    float e = exp_of_square(x, false);
    return fused(2.0f, e, -erfcx_positive(-x));
}
FUNCTION float __nv_erfcf(float x) {
    if (x != x)
        return x;
    if (x < 0.5f)
        return 1.0f - __nv_erff(x);
    return x > 10.1f ? 0.0f : erfcx_positive(x) * exp_of_square(x, true);
}
FUNCTION double __nv_erfcx(double x) {
    if (x >= 0.0)
        return x == INFINITY_D ? 0.0 : erfcx_positive(x);
    if (x != x)
        return x;
    if (x < -27.0)
        return INFINITY_D;
    double e = exp_of_square(x, false);
    return fused(2.0, e, -erfcx_positive(-x));
}
FUNCTION double __nv_erfc(double x) {
    if (x != x)
        return x;
    double a = magnitude(x);
    if (a < 0.5)
        return 1.0 - fused(x, polynomial_erf_d(x * x), x);
    double r = a > 27.5 ? 0.0 : erfcx_positive(a) * exp_of_square(a, true);
    return x < 0.0 ? 2.0 - r : r;
}
FUNCTION double __nv_erf(double x) {
    double a = magnitude(x);
    if (a < 1.0)
        return fused(x, polynomial_erf_d(x * x), x);
    if (a >= 6.0)
        return with_sign(1.0, x);
    return x != x ? x : with_sign(1.0 - erfcx_positive(a) * exp_of_square(a, true), x);
}

// erfinv(x) / x by w = -log(1 - x^2)
HELPER float inverse_ratio(float w) {
    if (w < 5.0f) {
        float t = w - 2.5f;
        return polynomial_erfinv_lo_f(t);
    }
    float t = root(w) - 3.0f;
    return polynomial_erfinv_hi_f(t);
}
FUNCTION float __nv_erfinvf(float x) {
    float a = magnitude(x);
    if (!(a < 1.0f))
        return a == 1.0f ? with_sign(INFINITY_F, x) : NAN_F;
    return x * inverse_ratio(-__nv_logf(fused(-a, a, 1.0f)));
}
FUNCTION float __nv_erfcinvf(float y) {
    if (!(y > 0.0f && y < 2.0f))
        return y == 0.0f ? INFINITY_F : y == 2.0f ? -INFINITY_F : NAN_F;
    float w = -__nv_logf(y * (2.0f - y));
    if (w < 16.0f)
        return (1.0f - y) * inverse_ratio(w);
    float s = root(w), t = s - 7.0f;
    return s * polynomial_erfcinv_hi_f(t);
}
HELPER double inverse_ratio(double w) {
    if (w < 6.25) {
        double t = w - 3.125;
        return polynomial_erfinv_lo_d(t);
    }
    double s = root(w);
    if (w < 16.0) {
        double t = s - 3.25;
        return polynomial_erfinv_mid_d(t);
    }
    double t = s - 5.0;
    return polynomial_erfinv_hi_d(t);
}
FUNCTION double __nv_erfinv(double x) {
    double a = magnitude(x);
    if (!(a < 1.0))
        return a == 1.0 ? with_sign(INFINITY_D, x) : NAN_D;
    return x * inverse_ratio(-__nv_log(fused(-a, a, 1.0)));
}
FUNCTION double __nv_erfcinv(double y) {
    if (!(y > 0.0 && y < 2.0))
        return y == 0.0 ? INFINITY_D : y == 2.0 ? -INFINITY_D : NAN_D;
    double w = -__nv_log(y * (2.0 - y));
    if (w < 16.0)
        return (1.0 - y) * inverse_ratio(w);
    double s = root(w), u = 1.0 / s;
    return s * (s < 10.0 ? polynomial_erfcinv_mid_d(u) : polynomial_erfcinv_hi_d(u));
}
// The normal distribution function: erfc(-x / sqrt 2) / 2, the error of the quotient put right by erfc's derivative.
FUNCTION float __nv_normcdff(float x) {
    float c = x < -14.5f ? -14.5f : x > 14.5f ? 14.5f : x;
    float h = c * -0x1.6a09e6p-1f;
    float low = fused(c, -0x1.6a09e6p-1f, -h) + c * -0x1.9fcef4p-27f;
    float r = __nv_erfcf(h);
    if (c < -1.0f)
        r = fused(-2.0f * h * r, low, r);
    return 0.5f * r;
}
FUNCTION double __nv_normcdf(double x) {
    double c = x < -38.6 ? -38.6 : x > 38.6 ? 38.6 : x;
    double h = c * -0x1.6a09e667f3bcdp-1;
    double low = fused(c, -0x1.6a09e667f3bcdp-1, -h) + c * 0x1.bdd3413b26456p-55;
    double r = __nv_erfc(h);
    if (c < -1.0)
        r = fused(-2.0 * h * r, low, r);
    return 0.5 * r;
}
FUNCTION float __nv_normcdfinvf(float p) { return -0x1.6a09e6p+0f * __nv_erfcinvf(p + p); }
FUNCTION double __nv_normcdfinv(double p) { return -0x1.6a09e667f3bcdp+0 * __nv_erfcinv(p + p); }
