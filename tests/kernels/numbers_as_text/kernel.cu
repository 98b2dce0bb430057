// Decimal digits of 64-bit numbers with sign, and back again.
extern "C" __global__ void text(const long long *in, char *texts, long long *back) {
    long long value = in[threadIdx.x];
    char *to = texts + threadIdx.x * 21, digits[20];
    unsigned long long rest = value < 0 ? 0ull - value : value;
    int n = 0;
    do {
        digits[n++] = '0' + rest % 10;
        rest /= 10;
    } while (rest);
    if (value < 0) *to++ = '-';
    while (n) *to++ = digits[--n];
    *to = 0;
    const char *from = texts + threadIdx.x * 21;
    bool negative = *from == '-';
    if (negative) from++;
    unsigned long long read = 0;
    for (; *from; from++) read = read * 10 + (*from - '0');
    back[threadIdx.x] = negative ? 0ull - read : read;
}
