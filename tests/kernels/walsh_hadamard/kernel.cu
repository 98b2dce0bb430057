// Walsh-Hadamard transform: the last five levels by shuffles, the first ones in shared memory.
extern "C" __global__ void walsh(int *data) {
    __shared__ int v[256];
    int t = threadIdx.x;
    v[t] = data[t];
    __syncthreads();
    for (int distance = 128; distance >= 32; distance /= 2) {
        int own = v[t], other = v[t ^ distance];
        __syncthreads();
        v[t] = t & distance ? other - own : own + other;
        __syncthreads();
    }
    int value = v[t];
    for (int distance = 16; distance > 0; distance /= 2) {
        int other = __shfl_xor_sync(0xffffffff, value, distance);
        value = t & distance ? other - value : value + other;
    }
    data[t] = value;
}
