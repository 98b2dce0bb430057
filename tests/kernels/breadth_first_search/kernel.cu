// Levels of a graph by breadth-first search; each launch goes one level on.
extern "C" __global__ void bfs(const int *starts, const int *edges, int *levels, int nodes, int level) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || levels[node] != level) return;
    for (int e = starts[node]; e < starts[node + 1]; e++) atomicCAS(&levels[edges[e]], -1, level + 1);
}
