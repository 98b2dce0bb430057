// A barrier is missing: the neighbour may not have written yet.
extern "C" __global__ void rotate(int *data) {
    __shared__ int values[64];
    values[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = values[(threadIdx.x + 1) % 64];
}
