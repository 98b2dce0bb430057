// Pointers to shared, global, local and constant memory in one array of generic pointers.
__constant__ int fixed[4] = {10, 20, 30, 40};
__device__ int global[4] = {1, 2, 3, 4};
extern "C" __global__ void pointers(int *out) {
    __shared__ int shared[4];
    int local[4];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) local[i] = 1000 * (t + i);
    if (t < 4) shared[t] = 100 * t;
    __syncthreads();
    const int *all[4] = {shared, global, local, fixed};
    const int *p = all[t % 4];
    int kind = __isShared(p) | __isGlobal(p) << 1 | __isLocal(p) << 2 | __isConstant(p) << 3;
    out[t] = p[t / 4 % 4] * 16 + kind;
}
