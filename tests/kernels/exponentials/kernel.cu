// Singles through the functions that nvcc makes of approximations and polynomials.
extern "C" __global__ void functions(const float *in, float *out) {
    float x = in[threadIdx.x], *to = out + 10 * threadIdx.x;
    to[0] = expf(x);
    to[1] = logf(fabsf(x) + 0.1f);
    to[2] = sinf(x);
    to[3] = cosf(x);
    to[4] = tanhf(x);
    to[5] = exp2f(x);
    to[6] = powf(fabsf(x), 1.7f);
    to[7] = atan2f(x, 2.0f);
    to[8] = cbrtf(x);
    to[9] = erff(x);
}
