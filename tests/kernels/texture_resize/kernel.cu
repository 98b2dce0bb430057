// An image made larger by bilinear interpolation in the texture unit.
extern "C" __global__ void resize(cudaTextureObject_t photo, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(photo, (x + 0.5f) * 0.03125f, (y + 0.5f) * 0.0625f);
}
