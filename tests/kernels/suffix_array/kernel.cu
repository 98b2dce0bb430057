// Suffixes in order, by doubling: ranks of pairs, each found by counting.
extern "C" __global__ void suffixes(const unsigned char *text, int *order) {
    __shared__ int rank[96];
    int t = threadIdx.x, n = blockDim.x;
    rank[t] = text[t];
    __syncthreads();
    for (int step = 1; step < 2 * n; step *= 2) {
        // A step of 1 ranks by pairs of letters already.
        long long own = (long long)rank[t] << 32 | (unsigned)(t + step < n ? rank[t + step] + 1 : 0);
        int smaller = 0;
        for (int i = 0; i < n; i++) smaller += ((long long)rank[i] << 32 | (unsigned)(i + step < n ? rank[i + step] + 1 : 0)) < own;
        __syncthreads();
        rank[t] = smaller;
        __syncthreads();
    }
    order[rank[t]] = t;
}
