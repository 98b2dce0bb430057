// Shortest ways from one node, all edges relaxed until nothing changes.
extern "C" __global__ void relax(const int *from, const int *to, const unsigned *weight, unsigned *distance, int edges) {
    __shared__ int changed;
    do {
        __syncthreads();
        if (threadIdx.x == 0) changed = 0;
        __syncthreads();
        for (int e = threadIdx.x; e < edges; e += blockDim.x) {
            unsigned start = *(volatile unsigned *)&distance[from[e]];
            if (start != 0xffffffffu && atomicMin(&distance[to[e]], start + weight[e]) > start + weight[e]) changed = 1;
        }
        __syncthreads();
    } while (changed);
}
