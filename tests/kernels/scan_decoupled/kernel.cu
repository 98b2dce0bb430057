// A scan in one pass: each block waits for the sum of the one before it.
extern "C" __global__ void scan(const unsigned *in, unsigned *out, unsigned long long *state, unsigned *ticket) {
    __shared__ unsigned block, before;
    if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
    __syncthreads();
    unsigned i = block * 32 + threadIdx.x, value = in[i];
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(~0u, value, d);
        if (threadIdx.x >= d) value += other;
    }
    if (threadIdx.x == 31) {
        unsigned long long previous = 1ull << 32;
        if (block > 0)
            do previous = atomicAdd(&state[block - 1], 0ull);
            while (previous >> 32 == 0);
        before = (unsigned)previous;
        __threadfence();
        atomicExch(&state[block], 1ull << 32 | (before + value));
    }
    __syncthreads();
    out[i] = value + before;
}
