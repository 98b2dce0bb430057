// Shortest ways between all pairs of nodes, in one block.
extern "C" __global__ void ways(int *distance, int n) {
    for (int k = 0; k < n; k++) {
        for (int i = threadIdx.y; i < n; i += blockDim.y)
            for (int j = threadIdx.x; j < n; j += blockDim.x) {
                int via = distance[i * n + k] + distance[k * n + j];
                if (via < distance[i * n + j]) distance[i * n + j] = via;
            }
        __syncthreads();
    }
}
