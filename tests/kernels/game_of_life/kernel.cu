// Two generations of Conway's game on a torus of bytes.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    int x = i % width, y = i / width, alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    out[i] = alive == 3 || (alive == 2 && in[i]);
}
