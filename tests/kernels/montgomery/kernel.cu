// Products modulo odd 64-bit numbers in Montgomery's form.
extern "C" __global__ void products(const unsigned long long *a, const unsigned long long *b, const unsigned long long *moduli, unsigned long long *out) {
    unsigned long long n = moduli[threadIdx.x] | 1, inverse = n;
    for (int i = 0; i < 5; i++) inverse *= 2 - n * inverse;
    auto reduce = [&](unsigned long long low, unsigned long long high) {
        unsigned long long q = low * inverse, m = __umul64hi(q, n);
        return high >= m ? high - m : high - m + n;
    };
    auto times = [&](unsigned long long x, unsigned long long y) { return reduce(x * y, __umul64hi(x, y)); };
    // 2^128 modulo n by doubling 2^64 modulo n.
    unsigned long long r = (0 - n) % n, square = r;
    for (int i = 0; i < 64; i++) square = square >= n - square ? square - (n - square) : square + square;
    unsigned long long x = times(a[threadIdx.x] % n, square), y = times(b[threadIdx.x] % n, square);
    out[threadIdx.x] = reduce(times(times(x, y), x), 0);
}
