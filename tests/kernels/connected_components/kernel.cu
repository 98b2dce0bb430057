// Components by hooking and pointer jumping with atomics.
extern "C" __global__ void components(const int *a, const int *b, int *parent, int nodes, int edges) {
    for (int i = threadIdx.x; i < nodes; i += blockDim.x) parent[i] = i;
    __syncthreads();
    auto root = [&](int node) {
        while (*(volatile int *)&parent[node] != node) node = *(volatile int *)&parent[node];
        return node;
    };
    for (int e = threadIdx.x; e < edges; e += blockDim.x) {
        int x = root(a[e]), y = root(b[e]);
        while (x != y) {
            if (x < y) {
                int t = x;
                x = y;
                y = t;
            }
            int old = atomicCAS(&parent[x], x, y);
            if (old == x) break;
            x = root(old);
            y = root(y);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < nodes; i += blockDim.x) parent[i] = root(i);
}
