// Functions of doubles made of polynomials, bit operations and Newton's method.
extern "C" __global__ void functions(const double *in, double *out) {
    double x = in[threadIdx.x], *to = out + 4 * threadIdx.x;
    // e^x: a power of two and a series
    double n = rint(x * 1.4426950408889634), r = fma(n, -0.6931471805599453, x), term = 1, sum = 1;
    r = fma(n, -2.3190468138462996e-17, r);
    for (int k = 1; k < 16; k++) {
        term *= r / k;
        sum += term;
    }
    to[0] = sum * __longlong_as_double((long long)(1023 + (int)n) << 52);
    // ln of the mantissa by the series of atanh
    double y = fabs(x) + 0.25;
    long long bits = __double_as_longlong(y);
    int e = (int)(bits >> 52) - 1023;
    double m = __longlong_as_double((bits & 0xfffffffffffffll) | 0x3ff0000000000000ll);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    double z = (m - 1) / (m + 1), z2 = z * z, series = 0;
    for (int k = 23; k >= 1; k -= 2) series = fma(z2, series, 1.0 / k);
    to[1] = fma((double)e, 0.6931471805599453, 2 * z * series);
    // cube root
    double root = fmax(fabs(x), 1.0);
    for (int i = 0; i < 60; i++) root = (2 * root + fabs(x) / (root * root)) / 3;
    to[2] = x < 0 ? -root : root;
    to[3] = sqrt(fma(x, x, 9.0)) + floor(x) + ceil(x * 2) + rint(x * 3) + trunc(x * 5);
}
