// Counting sort of bytes.
extern "C" __global__ void counting(const unsigned char *in, unsigned char *out, int count) {
    __shared__ int counts[256];
    int t = threadIdx.x;
    counts[t] = 0;
    __syncthreads();
    for (int i = t; i < count; i += 256) atomicAdd(&counts[in[i]], 1);
    __syncthreads();
    int start = 0;
    for (int v = 0; v < t; v++) start += counts[v];
    for (int i = 0; i < counts[t]; i++) out[start + i] = (unsigned char)t;
}
