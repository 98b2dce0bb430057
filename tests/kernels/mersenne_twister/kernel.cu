// MT19937: 624 words seeded by one thread, two rounds of the twist by all.
extern "C" __global__ void twister(unsigned seed, unsigned *out) {
    __shared__ unsigned mt[624];
    if (threadIdx.x == 0) {
        mt[0] = seed;
        for (unsigned i = 1; i < 624; i++) mt[i] = 1812433253u * (mt[i - 1] ^ mt[i - 1] >> 30) + i;
    }
    __syncthreads();
    // Words 0 to 226, 227 to 453 and 454 to 623 need only older words or those of an earlier part.
    for (int round = 0; round < 2; round++) {
        for (int part = 0; part < 3; part++) {
            int i = part * 227 + threadIdx.x;
            bool active = threadIdx.x < 227 && i < 624;
            unsigned next = 0;
            if (active) {
                unsigned y = mt[i] & 0x80000000u | mt[(i + 1) % 624] & 0x7fffffffu;
                next = mt[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
            }
            __syncthreads();
            if (active) mt[i] = next;
            __syncthreads();
        }
        for (int i = threadIdx.x; i < 624; i += blockDim.x) {
            unsigned y = mt[i];
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680u;
            y ^= y << 15 & 0xefc60000u;
            out[round * 624 + i] = y ^ y >> 18;
        }
        __syncthreads();
    }
}
