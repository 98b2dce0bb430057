// Sieve of Eratosthenes in bits of shared memory.
extern "C" __global__ void sieve(unsigned *bits, int limit) {
    __shared__ unsigned composite[128];
    for (int i = threadIdx.x; i < 128; i += blockDim.x) composite[i] = i ? 0 : 3;
    __syncthreads();
    for (int p = 2; p * p < limit; p++) {
        if (!(composite[p / 32] >> p % 32 & 1))
            for (int m = p * p + threadIdx.x * p; m < limit; m += blockDim.x * p) atomicOr(&composite[m / 32], 1u << m % 32);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 128; i += blockDim.x) bits[i] = ~composite[i];
}
