// Inclusive scan of one block, doubling distances.
extern "C" __global__ void scan(const int *in, int *out) {
    __shared__ int sums[2][256];
    int t = threadIdx.x, now = 0;
    sums[0][t] = in[t];
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        sums[1 - now][t] = sums[now][t] + (t >= distance ? sums[now][t - distance] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[t] = sums[now][t];
}
