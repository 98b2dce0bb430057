// Matrix times vector, one warp for a row; whole numbers in double precision.
extern "C" __global__ void matvec(const double *matrix, const double *vector, double *out, int columns) {
    int row = blockIdx.x, lane = threadIdx.x;
    double sum = 0;
    for (int i = lane; i < columns; i += 32) sum += matrix[row * columns + i] * vector[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) out[row] = sum;
}
