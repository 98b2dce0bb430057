// Classes of numbers, signs copied, neighbours, decompositions.
extern "C" __global__ void classes(const float *in, unsigned *out) {
    float x = in[threadIdx.x];
    unsigned *to = out + 6 * threadIdx.x;
    to[0] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | signbit(x) << 3 | (isfinite(x) && fabsf(x) >= 1.17549435e-38f ? 16 : 0);
    to[1] = __float_as_uint(copysignf(3.0f, x));
    to[2] = __float_as_uint(nextafterf(x, INFINITY));
    int exponent;
    to[3] = __float_as_uint(frexpf(x, &exponent));
    to[4] = isfinite(x) && x != 0 ? exponent : 0;
    to[5] = __float_as_uint(fabsf(x) < 1e30f ? ldexpf(x, 3) : 0.0f);
}
