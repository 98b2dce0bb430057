// A recursion without end.
__device__ __noinline__ int deeper(int n) {
    volatile int keep[64];
    keep[n & 63] = n;
    return deeper(n + 1) + keep[n & 63];
}
extern "C" __global__ void fall(int *out) { *out = deeper(0); }
