// Jacobi steps on a plane; the weights are powers of two, so that single precision is exact.
extern "C" __global__ void jacobi(const float *in, float *out, int width, int height) {
    __shared__ float tile[10][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    auto at = [&](int x, int y) { return x < 0 || y < 0 || x >= width || y >= height ? 0.0f : in[y * width + x]; };
    tile[threadIdx.y + 1][threadIdx.x + 1] = at(x, y);
    if (threadIdx.x == 0) tile[threadIdx.y + 1][0] = at(x - 1, y);
    if (threadIdx.x == 15) tile[threadIdx.y + 1][17] = at(x + 1, y);
    if (threadIdx.y == 0) tile[0][threadIdx.x + 1] = at(x, y - 1);
    if (threadIdx.y == 7) tile[9][threadIdx.x + 1] = at(x, y + 1);
    __syncthreads();
    if (x < width && y < height)
        out[y * width + x] = 0.25f * (tile[threadIdx.y][threadIdx.x + 1] + tile[threadIdx.y + 2][threadIdx.x + 1] +
                                      tile[threadIdx.y + 1][threadIdx.x] + tile[threadIdx.y + 1][threadIdx.x + 2]);
}
