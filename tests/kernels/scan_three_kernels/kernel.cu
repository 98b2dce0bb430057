// A scan over many blocks: scan of each block, scan of the blocks' sums, addition.
__device__ int warp_scan(int value) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(0xffffffff, value, distance);
        if ((threadIdx.x & 31) >= distance) value += other;
    }
    return value;
}

__device__ int block_scan(int value) {
    __shared__ int warps[32];
    value = warp_scan(value);
    if ((threadIdx.x & 31) == 31) warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) warps[threadIdx.x] = warp_scan(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
    __syncthreads();
    return threadIdx.x < 32 ? value : value + warps[threadIdx.x / 32 - 1];
}

extern "C" __global__ void scan_blocks(int *data, int *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = block_scan(data[i]);
    data[i] = value;
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = value;
}

extern "C" __global__ void scan_sums(int *sums) { sums[threadIdx.x] = block_scan(sums[threadIdx.x]); }

extern "C" __global__ void add_sums(int *data, const int *sums) {
    if (blockIdx.x > 0) data[blockIdx.x * blockDim.x + threadIdx.x] += sums[blockIdx.x - 1];
}
