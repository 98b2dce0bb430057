// Inclusive scan that starts anew at each flag.
extern "C" __global__ void segmented(const int *in, const unsigned char *heads, int *out) {
    __shared__ int values[256];
    __shared__ unsigned char flags[256];
    int t = threadIdx.x;
    values[t] = in[t];
    flags[t] = heads[t];
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int value = values[t];
        unsigned char flag = flags[t];
        if (t >= distance && !flag) {
            value += values[t - distance];
            flag = flags[t - distance];
        }
        __syncthreads();
        values[t] = value;
        flags[t] = flag;
        __syncthreads();
    }
    out[t] = values[t];
}
