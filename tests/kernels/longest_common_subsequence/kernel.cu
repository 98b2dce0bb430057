// Lengths of longest common subsequences with bit vectors of 64 letters.
extern "C" __global__ void lcs(const unsigned char *a, const unsigned char *b, int length, int *out) {
    __shared__ unsigned long long places[4];
    if (threadIdx.x < 4) {
        unsigned long long mask = 0;
        for (int i = 0; i < 64; i++) mask |= (unsigned long long)(a[i] == threadIdx.x) << i;
        places[threadIdx.x] = mask;
    }
    __syncthreads();
    unsigned long long row = ~0ull;
    const unsigned char *own = b + threadIdx.x * length;
    for (int j = 0; j < length; j++) {
        unsigned long long common = row & places[own[j]];
        row = row + common | row - common;
    }
    out[threadIdx.x] = __popcll(~row);
}
