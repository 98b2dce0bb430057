// Powers modulo 32-bit numbers, square and multiply, with 64-bit remainders.
extern "C" __global__ void power(const unsigned *base, const unsigned *exponent, const unsigned *modulus, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long m = modulus[i], result = 1 % m, b = base[i] % m;
    for (unsigned e = exponent[i]; e; e >>= 1) {
        if (e & 1) result = result * b % m;
        b = b * b % m;
    }
    out[i] = (unsigned)result;
}
