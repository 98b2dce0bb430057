// xorshift128 and xorshift64*, each thread from its own seed.
extern "C" __global__ void xorshift(unsigned *narrow, unsigned long long *wide) {
    unsigned x = 123456789u + threadIdx.x, y = 362436069u, z = 521288629u, w = 88675123u;
    unsigned long long s = 0x9e3779b97f4a7c15ull * (threadIdx.x + 1);
    for (int i = 0; i < 50; i++) {
        unsigned t = x ^ x << 11;
        x = y;
        y = z;
        z = w;
        w ^= w >> 19 ^ t ^ t >> 8;
        s ^= s >> 12;
        s ^= s << 25;
        s ^= s >> 27;
    }
    narrow[threadIdx.x] = w;
    wide[threadIdx.x] = s * 0x2545f4914f6cdd1dull;
}
