// Baby steps in a hash table in shared memory, giant steps by all threads.
extern "C" __global__ void logarithm(unsigned base, unsigned prime, const unsigned *numbers, unsigned *out) {
    __shared__ unsigned keys[512], values[512];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += blockDim.x) keys[i] = 0;
    __syncthreads();
    auto power = [&](unsigned long long b, unsigned e) {
        unsigned long long r = 1;
        for (; e; e >>= 1, b = b * b % prime)
            if (e & 1) r = r * b % prime;
        return (unsigned)r;
    };
    unsigned baby = power(base, t), slot = baby * 40503u >> 5 & 511;
    while (atomicCAS(&keys[slot], 0, baby) != 0) slot = slot + 1 & 511;
    values[slot] = t;
    __syncthreads();
    unsigned long long giant = power(base, prime - 1 - blockDim.x), number = numbers[t];
    for (int j = 0; j <= (prime - 1) / blockDim.x; j++, number = number * giant % prime) {
        slot = (unsigned)number * 40503u >> 5 & 511;
        while (keys[slot] && keys[slot] != number) slot = slot + 1 & 511;
        if (keys[slot]) {
            out[t] = j * blockDim.x + values[slot];
            break;
        }
    }
}
