// Mersenne primes by the test of Lucas and Lehmer, for exponents up to 61.
extern "C" __global__ void test(const int *exponents, unsigned char *prime) {
    int p = exponents[threadIdx.x];
    unsigned long long m = (1ull << p) - 1, s = 4 % m;
    for (int i = 0; i < p - 2; i++) {
        unsigned long long low = s * s, high = __umul64hi(s, s);
        unsigned long long sum = (low & m) + (high << (64 - p) | low >> p);
        sum = (sum & m) + (sum >> p);
        if (sum >= m) sum -= m;
        s = sum >= 2 ? sum - 2 : sum + m - 2;
    }
    prime[threadIdx.x] = s == 0;
}
