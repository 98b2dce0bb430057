// Triangles of a graph given as bit rows: intersections counted with popc, summed over warps.
extern "C" __global__ void triangles(const unsigned long long *rows, int nodes, unsigned *total) {
    unsigned count = 0;
    for (int i = threadIdx.x; i < nodes; i += blockDim.x)
        for (int j = 0; j < i; j++)
            if (rows[i] >> j & 1) count += __popcll(rows[i] & rows[j] & ((1ull << j) - 1));
    for (int d = 16; d; d /= 2) count += __shfl_xor_sync(~0u, count, d);
    if (threadIdx.x % 32 == 0) atomicAdd(total, count);
}
