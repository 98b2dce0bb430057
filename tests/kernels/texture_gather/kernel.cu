// The least and greatest of the four texels around each corner, of two channels, by gathering them.
extern "C" __global__ void extremes(cudaTextureObject_t image, float4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > width || y > height)
        return;
    float4 r = tex2Dgather<float4>(image, (float)x, (float)y, 0);
    float4 a = tex2Dgather<float4>(image, (float)x, (float)y, 3);
    out[y * (width + 1) + x] = make_float4(fminf(fminf(r.x, r.y), fminf(r.z, r.w)), fmaxf(fmaxf(r.x, r.y), fmaxf(r.z, r.w)),
                                           r.w - r.y, a.x + 2 * a.y);
}
