// Fibonacci numbers modulo 10^9 + 7 by fast doubling, recursively.
#define P 1000000007ull
__device__ __noinline__ ulonglong2 pair(unsigned n) {
    if (n == 0) return make_ulonglong2(0, 1);
    ulonglong2 half = pair(n / 2);
    unsigned long long c = half.x * ((2 * half.y + P - half.x) % P) % P;
    unsigned long long d = (half.x * half.x + half.y * half.y) % P;
    return n % 2 ? make_ulonglong2(d, (c + d) % P) : make_ulonglong2(c, d);
}
extern "C" __global__ void fibonacci(const unsigned *n, unsigned long long *out) { out[threadIdx.x] = pair(n[threadIdx.x]).x; }
