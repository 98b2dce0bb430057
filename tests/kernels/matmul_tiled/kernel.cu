// Product of matrices by tiles in shared memory.
#define TILE 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int size) {
    __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int tile = 0; tile < size; tile += TILE) {
        left[y][x] = a[row * size + tile + x];
        right[y][x] = b[(tile + y) * size + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum = fmaf(left[y][i], right[i][x], sum);
        __syncthreads();
    }
    c[row * size + column] = sum;
}
