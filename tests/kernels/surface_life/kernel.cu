// A generation of the game of life: outside of the surface nothing lives.
extern "C" __global__ void generation(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy)
                neighbours += surf2Dread<unsigned char>(from, x + dx, y + dy, cudaBoundaryModeZero);
    unsigned char alive = surf2Dread<unsigned char>(from, x, y);
    surf2Dwrite<unsigned char>(neighbours == 3 || (alive && neighbours == 2), to, x, y);
}
