// A minimum spanning forest: every component takes its lightest edge, until none has one.
extern "C" __global__ void forest(const int *a, const int *b, const unsigned *weight, int edges, int nodes, unsigned *total) {
    __shared__ int part[128];
    __shared__ unsigned long long best[128];
    __shared__ unsigned sum;
    __shared__ int more;
    int t = threadIdx.x, again;
    if (t < nodes) part[t] = t;
    if (t == 0) sum = 0;
    do {
        if (t < nodes) best[t] = ~0ull;
        if (t == 0) more = 0;
        __syncthreads();
        for (int e = t; e < edges; e += blockDim.x) {
            int x = part[a[e]], y = part[b[e]];
            if (x != y) {
                unsigned long long key = (unsigned long long)weight[e] << 32 | e;
                atomicMin(&best[x], key);
                atomicMin(&best[y], key);
                atomicExch(&more, 1);
            }
        }
        __syncthreads();
        // One thread joins, so that each edge is taken once.
        if (t == 0)
            for (int c = 0; c < nodes; c++)
                if (best[c] != ~0ull) {
                    int e = (int)best[c], x = part[a[e]], y = part[b[e]];
                    if (x != y) {
                        sum += weight[e];
                        for (int i = 0; i < nodes; i++)
                            if (part[i] == y) part[i] = x;
                    }
                }
        again = more;
        __syncthreads();
    } while (again);
    if (t == 0) *total = sum;
}
