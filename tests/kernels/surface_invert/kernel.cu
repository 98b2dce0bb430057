// A picture inverted in place, and turned upside down into another surface.
extern "C" __global__ void invert(cudaSurfaceObject_t picture, cudaSurfaceObject_t flipped, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    uchar4 colour = surf2Dread<uchar4>(picture, 4 * x, y);
    colour = make_uchar4(255 - colour.x, 255 - colour.y, 255 - colour.z, colour.w);
    surf2Dwrite(colour, picture, 4 * x, y);
    surf2Dwrite(colour, flipped, 4 * x, height - 1 - y);
}
