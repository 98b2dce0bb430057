// Fast Fourier transform of 128 complex numbers in shared memory, radix 2; the roots of unity come in an argument.
extern "C" __global__ void fft(const double2 *in, const double2 *roots, double2 *out) {
    __shared__ double2 v[128];
    int t = threadIdx.x;
    v[__brev(t) >> 25] = in[t];
    v[__brev(t + 64) >> 25] = in[t + 64];
    __syncthreads();
    for (int half = 1; half < 128; half *= 2) {
        int k = t % half, i = t / half * 2 * half + k;
        double c = roots[k * (64 / half)].x, s = roots[k * (64 / half)].y;
        double2 a = v[i], b = v[i + half];
        double2 w = make_double2(b.x * c - b.y * s, b.x * s + b.y * c);
        v[i] = make_double2(a.x + w.x, a.y + w.y);
        v[i + half] = make_double2(a.x - w.x, a.y - w.y);
        __syncthreads();
    }
    out[t] = v[t];
    out[t + 64] = v[t + 64];
}
