// Dynamic programming over two rows in shared memory.
extern "C" __global__ void knapsack(const int *weights, const int *values, int items, int *best) {
    __shared__ int rows[2][201];
    int w = threadIdx.x;
    rows[0][w] = 0;
    __syncthreads();
    for (int i = 0; i < items; i++) {
        int *from = rows[i & 1], *to = rows[~i & 1];
        to[w] = w >= weights[i] ? max(from[w], from[w - weights[i]] + values[i]) : from[w];
        __syncthreads();
    }
    best[w] = rows[items & 1][w];
}
