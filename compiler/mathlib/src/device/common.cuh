// What all files of the library share: bits of numbers, exact products and sums, powers of two.
//
// The library is compiled without contraction: where a product and a sum are to be rounded once, the source says fma.

#pragma once

#define FUNCTION extern "C" __device__
#define HELPER static __device__ __forceinline__

HELPER unsigned bits(float x) { return __builtin_bit_cast(unsigned, x); }
HELPER float from_bits(unsigned x) { return __builtin_bit_cast(float, x); }
HELPER unsigned long long bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
HELPER double from_bits(unsigned long long x) { return __builtin_bit_cast(double, x); }
HELPER float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HELPER double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
HELPER float magnitude(float x) { return __builtin_fabsf(x); }
HELPER double magnitude(double x) { return __builtin_fabs(x); }
HELPER float root(float x) { return __builtin_sqrtf(x); }
HELPER double root(double x) { return __builtin_sqrt(x); }
// The magnitude of `x` with the sign of `y`.
HELPER float with_sign(float x, float y) { return __builtin_copysignf(x, y); }
HELPER double with_sign(double x, double y) { return __builtin_copysign(x, y); }

// The upper half of a product, and the number of zeros above the highest bit that is set.
HELPER unsigned long long multiply_high(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
HELPER int leading_zeros(unsigned long long x) { return __nvvm_clz_ll((long long)x); }

#define INFINITY_F from_bits(0x7f800000u)
#define NAN_F from_bits(0x7fffffffu)
#define INFINITY_D from_bits(0x7ff0000000000000ull)
#define NAN_D from_bits(0xfff8000000000000ull)

// 2^n for n in [-126, 127], or [-1022, 1023].
HELPER float power_of_two_f(int n) { return from_bits((unsigned)(n + 127) << 23); }
HELPER double power_of_two_d(int n) { return from_bits((unsigned long long)(n + 1023) << 52); }

// x * 2^n, rounded once, for n in [-252, 254]: the first factor keeps results normal.
HELPER float scale(float x, int n) {
    int half = n >> 1;
    return x * power_of_two_f(half) * power_of_two_f(n - half);
}
HELPER double scale(double x, int n) {
    int half = n >> 1;
    return x * power_of_two_d(half) * power_of_two_d(n - half);
}

// A number as the unevaluated sum of two, the second at most half a unit in the last place of the first.
struct PairF { float high, low; };
struct PairD { double high, low; };

HELPER PairF sum_of(float a, float b) { // |a| >= |b|
    PairF s;
    s.high = a + b;
    s.low = (a - s.high) + b;
    return s;
}
HELPER PairD sum_of(double a, double b) {
    PairD s;
    s.high = a + b;
    s.low = (a - s.high) + b;
    return s;
}
HELPER PairF product_of(float a, float b) {
    PairF p;
    p.high = a * b;
    p.low = fused(a, b, -p.high);
    return p;
}
HELPER PairD product_of(double a, double b) {
    PairD p;
    p.high = a * b;
    p.low = fused(a, b, -p.high);
    return p;
}
