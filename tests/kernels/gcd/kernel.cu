// Greatest common divisors: Euclid's algorithm and the binary one.
extern "C" __global__ void gcd(const unsigned *a, const unsigned *b, unsigned *euclid, unsigned *binary) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i], y = b[i];
    while (y) {
        unsigned t = x % y;
        x = y;
        y = t;
    }
    euclid[i] = x;
    x = a[i];
    y = b[i];
    if (!x || !y) {
        binary[i] = x | y;
        return;
    }
    int shift = __ffs(x | y) - 1;
    x >>= __ffs(x) - 1;
    while (y) {
        y >>= __ffs(y) - 1;
        unsigned low = min(x, y);
        y = max(x, y) - low;
        x = low;
    }
    binary[i] = x << shift;
}
