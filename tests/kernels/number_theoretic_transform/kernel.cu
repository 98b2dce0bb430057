// Polynomials multiplied modulo 998244353 by a number-theoretic transform.
#define P 998244353u
__device__ unsigned times(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b % P); }
__device__ unsigned power(unsigned base, unsigned exponent) {
    unsigned result = 1;
    for (; exponent; exponent >>= 1, base = times(base, base))
        if (exponent & 1) result = times(result, base);
    return result;
}
__device__ void transform(unsigned *v, unsigned root) {
    int t = threadIdx.x;
    for (int half = 64; half > 0; half /= 2) {
        int k = t % half, i = t / half * 2 * half + k;
        unsigned a = v[i], b = v[i + half];
        v[i] = (a + b) % P;
        v[i + half] = times((a + P - b) % P, power(root, k * (64 / half)));
        __syncthreads();
    }
    unsigned low = v[t], high = v[t + 64];
    __syncthreads();
    v[__brev(t) >> 25] = low;
    v[__brev(t + 64) >> 25] = high;
    __syncthreads();
}
extern "C" __global__ void multiply(const unsigned *a, const unsigned *b, unsigned *c) {
    __shared__ unsigned left[128], right[128];
    int t = threadIdx.x;
    left[t] = a[t];
    right[t] = b[t];
    left[t + 64] = right[t + 64] = 0;
    __syncthreads();
    unsigned root = power(3, (P - 1) / 128);
    transform(left, root);
    transform(right, root);
    left[t] = times(left[t], right[t]);
    left[t + 64] = times(left[t + 64], right[t + 64]);
    __syncthreads();
    transform(left, power(root, P - 2));
    unsigned scale = power(128, P - 2);
    c[t] = times(left[t], scale);
    c[t + 64] = times(left[t + 64], scale);
}
