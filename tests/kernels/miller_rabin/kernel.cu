// Primality of 64-bit numbers by strong tests, with products of 128 bits.
__device__ unsigned long long times(unsigned long long a, unsigned long long b, unsigned long long n) {
    unsigned long long high = __umul64hi(a, b), low = a * b;
    for (int i = 0; i < 64; i++) {
        bool carry = high >> 63;
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry || high >= n) high -= n;
    }
    return high;
}
extern "C" __global__ void primes(const unsigned long long *numbers, unsigned char *out) {
    unsigned long long n = numbers[threadIdx.x];
    int zeros = __ffsll(n - 1) - 1;
    unsigned long long odd = (n - 1) >> zeros;
    bool prime = true;
    for (unsigned long long base = 2; base <= 7 && prime; base = base == 2 ? 3 : base + 2) {
        unsigned long long x = 1, square = base % n;
        for (unsigned long long e = odd; e; e >>= 1, square = times(square, square, n))
            if (e & 1) x = times(x, square, n);
        bool strong = x == 1 || x == n - 1;
        for (int i = 1; i < zeros && !strong; i++) {
            x = times(x, x, n);
            strong = x == n - 1;
        }
        prime = strong;
    }
    out[threadIdx.x] = prime;
}
