// Lists made by atomic exchange of heads and walked afterwards.
extern "C" __global__ void lists(const int *values, int *next, int *heads, int buckets, int *sums) {
    int t = threadIdx.x;
    if (t < buckets) heads[t] = -1;
    __syncthreads();
    next[t] = atomicExch(&heads[values[t] % buckets], t);
    __syncthreads();
    if (t < buckets) {
        int sum = 0;
        for (int at = heads[t]; at >= 0; at = next[at]) sum += values[at];
        sums[t] = sum;
    }
}
