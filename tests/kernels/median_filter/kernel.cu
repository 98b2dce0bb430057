// A median filter of 3x3 pixels by a sorting network of minima and maxima.
__device__ void order(unsigned char &a, unsigned char &b) {
    unsigned char low = min(a, b);
    b = max(a, b);
    a = low;
}
extern "C" __global__ void median(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned char v[9];
#pragma unroll
    for (int i = 0; i < 9; i++) v[i] = in[min(max(y + i / 3 - 1, 0), height - 1) * width + min(max(x + i % 3 - 1, 0), width - 1)];
#pragma unroll
    for (int round = 0; round < 9; round++)
#pragma unroll
        for (int i = round & 1; i + 1 < 9; i += 2) order(v[i], v[i + 1]);
    out[y * width + x] = v[4];
}
