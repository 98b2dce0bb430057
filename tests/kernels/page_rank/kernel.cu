// One step of page rank: shares pushed along edges with atomic additions of fixed-point numbers.
extern "C" __global__ void push(const int *from, const int *to, const int *degree, const unsigned long long *rank, unsigned long long *next, int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) atomicAdd(&next[to[e]], rank[from[e]] / degree[from[e]]);
}
extern "C" __global__ void damp(unsigned long long *rank, unsigned long long *next, int nodes) {
    int i = threadIdx.x;
    if (i >= nodes) return;
    rank[i] = next[i] / 100 * 85 + (15ull << 40) / 100;
    next[i] = 0;
}
