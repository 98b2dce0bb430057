// Barriers with numbers: two pairs of warps meet at their own, and one warp only arrives.
extern "C" __global__ void meet(int *out) {
    __shared__ int values[128], later[64];
    int t = threadIdx.x, pair = t / 64;
    values[t] = t * t;
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    out[t] = values[t ^ 32];
    if (t < 64) {
        later[t] = -t;
        asm volatile("bar.arrive 5, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 5, 128;" ::: "memory");
        out[t] += later[t - 64];
    }
}
