// Run-length encoding: heads of runs by a scan in shared memory.
extern "C" __global__ void encode(const unsigned char *in, int count, unsigned char *values, int *lengths, int *runs) {
    __shared__ int place[256], starts[257];
    int t = threadIdx.x;
    int head = t < count && (t == 0 || in[t] != in[t - 1]);
    place[t] = head;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int before = t >= d ? place[t - d] : 0;
        __syncthreads();
        place[t] += before;
        __syncthreads();
    }
    int total = place[blockDim.x - 1];
    if (head) starts[place[t] - 1] = t;
    if (t == 0) {
        starts[total] = count;
        *runs = total;
    }
    __syncthreads();
    if (t < total) {
        values[t] = in[starts[t]];
        lengths[t] = starts[t + 1] - starts[t];
    }
}
