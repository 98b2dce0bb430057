// What a ball mirrors: directions into a cube, and into an array of two.
extern "C" __global__ void reflect(cudaTextureObject_t sky, cudaTextureObject_t skies, const float *directions, float *out)
{
    int i = threadIdx.x;
    float x = directions[3 * i], y = directions[3 * i + 1], z = directions[3 * i + 2];
    out[2 * i] = texCubemap<float>(sky, x, y, z);
    out[2 * i + 1] = texCubemapLayered<float>(skies, x, y, z, i & 1);
}
