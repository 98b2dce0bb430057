// Edges of a grey image: magnitudes of the Sobel operator, saturated.
extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    auto at = [&](int dx, int dy) { return (int)in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)]; };
    int h = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    int v = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    out[y * width + x] = (unsigned char)min((abs(h) + abs(v)) / 2, 255);
}
