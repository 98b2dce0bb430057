// A chain of levels, each the mean of the one above, made through surfaces; then samples between the levels.
extern "C" __global__ void shrink(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int size)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= size || y >= size)
        return;
    float sum = 0;
    for (int part = 0; part < 4; ++part)
        sum += surf2Dread<float>(from, 4 * (2 * x + part % 2), 2 * y + part / 2);
    surf2Dwrite(sum * 0.25f, to, 4 * x, y);
}

extern "C" __global__ void sample(cudaTextureObject_t image, float *out)
{
    int x = threadIdx.x, level = blockIdx.x;
    float u = (x + 0.25f) * 0.0625f;
    out[level * blockDim.x + x] = tex2DLod<float>(image, u, 1.0f - u, level * 0.375f);
    // A gradient of as many texels as the level's are wide.
    float step = (float)(1 << level) * 0.125f;
    out[(gridDim.x + level) * blockDim.x + x] = tex2DGrad<float>(image, u, u, make_float2(step, 0), make_float2(0, step * 0.5f));
}
