// Functions of doubles, which are all polynomials and bit operations.
extern "C" __global__ void functions(const double *in, double *out) {
    double x = in[threadIdx.x], *to = out + 6 * threadIdx.x;
    to[0] = exp(x);
    to[1] = log(fabs(x) + 0.25);
    to[2] = sin(x * 10);
    to[3] = pow(fabs(x), 2.5);
    to[4] = fmod(x * 100, 0.7);
    to[5] = hypot(x, 3.0) + floor(x) + rint(x * 3) + cbrt(x);
}
