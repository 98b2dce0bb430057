// Sparse matrix times vector, a warp for a row.
extern "C" __global__ void spmv(const int *starts, const int *columns, const double *values, const double *x, double *y) {
    double sum = 0;
    for (int i = starts[blockIdx.x] + threadIdx.x; i < starts[blockIdx.x + 1]; i += 32) sum += values[i] * x[columns[i]];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
