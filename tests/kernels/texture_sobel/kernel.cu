// Edges of an image: the texture clamps coordinates, so that the border needs no care.
extern "C" __global__ void sobel(cudaTextureObject_t image, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int h = 0, v = 0;
    for (int d = -1; d <= 1; ++d) {
        int weight = d == 0 ? 2 : 1;
        h += weight * (tex2D<unsigned char>(image, x + 1.5f, y + d + 0.5f) - tex2D<unsigned char>(image, x - 0.5f, y + d + 0.5f));
        v += weight * (tex2D<unsigned char>(image, x + d + 0.5f, y + 1.5f) - tex2D<unsigned char>(image, x + d + 0.5f, y - 0.5f));
    }
    out[y * width + x] = min((abs(h) + abs(v)) / 2, 255);
}
