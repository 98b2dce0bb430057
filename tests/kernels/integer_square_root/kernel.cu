// Square roots of 64-bit numbers, bit by bit and by Newton's method.
extern "C" __global__ void roots(const unsigned long long *in, unsigned *bitwise, unsigned *newton) {
    unsigned long long n = in[threadIdx.x], rest = n, root = 0;
    for (unsigned long long bit = 1ull << 62; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else
            root >>= 1;
    }
    bitwise[threadIdx.x] = (unsigned)root;
    if (n < 2) {
        newton[threadIdx.x] = (unsigned)n;
        return;
    }
    unsigned long long x = 1ull << (65 - __clzll(n)) / 2;
    for (;;) {
        unsigned long long y = (x + n / x) / 2;
        if (y >= x) break;
        x = y;
    }
    newton[threadIdx.x] = (unsigned)x;
}
