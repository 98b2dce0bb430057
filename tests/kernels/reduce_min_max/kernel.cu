// Smallest and largest number with sign.
extern "C" __global__ void reduce_min_max(const int *data, int *result, int count) {
    int low = 0x7fffffff, high = 0x80000000;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        low = min(low, data[i]);
        high = max(high, data[i]);
    }
    for (int mask = 16; mask > 0; mask /= 2) {
        low = min(low, __shfl_xor_sync(0xffffffff, low, mask));
        high = max(high, __shfl_xor_sync(0xffffffff, high, mask));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(&result[0], low);
        atomicMax(&result[1], high);
    }
}
