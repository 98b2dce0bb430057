// Radix sort of numbers with sign, one bit at a time, stable: zeros before ones.
extern "C" __global__ void radix(int *data) {
    __shared__ unsigned keys[256];
    __shared__ int zeros[257];
    int t = threadIdx.x;
    keys[t] = (unsigned)data[t] ^ 0x80000000u;
    for (int bit = 0; bit < 32; bit++) {
        __syncthreads();
        unsigned key = keys[t];
        zeros[t] = !(key >> bit & 1);
        __syncthreads();
        for (int distance = 1; distance < 256; distance *= 2) {
            int value = zeros[t] + (t >= distance ? zeros[t - distance] : 0);
            __syncthreads();
            zeros[t] = value;
            __syncthreads();
        }
        int place = key >> bit & 1 ? zeros[255] + t - zeros[t] : zeros[t] - 1;
        keys[place] = key;
    }
    __syncthreads();
    data[t] = keys[t] ^ 0x80000000u;
}
