// Adler-32 in parallel: each thread's sums weighted, then a block reduction.
extern "C" __global__ void adler32(const unsigned char *text, int count, unsigned *out) {
    __shared__ unsigned long long low, high;
    if (threadIdx.x == 0) low = high = 0;
    __syncthreads();
    unsigned long long a = 0, b = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        a += text[i];
        b += (unsigned long long)(count - i) * text[i];
    }
    atomicAdd(&low, a);
    atomicAdd(&high, b);
    __syncthreads();
    if (threadIdx.x == 0) *out = (unsigned)((high + count) % 65521 << 16 | (low + 1) % 65521);
}
