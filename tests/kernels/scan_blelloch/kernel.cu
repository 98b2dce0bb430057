// Exclusive scan of 2 elements per thread: up-sweep and down-sweep in dynamic shared memory.
extern "C" __global__ void scan(unsigned *data, int count) {
    extern __shared__ unsigned tree[];
    int t = threadIdx.x, offset = 1;
    tree[2 * t] = data[2 * t];
    tree[2 * t + 1] = data[2 * t + 1];
    for (int d = count / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) tree[count - 1] = 0;
    for (int d = 1; d < count; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            unsigned left = tree[offset * (2 * t + 1) - 1];
            tree[offset * (2 * t + 1) - 1] = tree[offset * (2 * t + 2) - 1];
            tree[offset * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    data[2 * t] = tree[2 * t];
    data[2 * t + 1] = tree[2 * t + 1];
}
