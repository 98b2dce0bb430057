// A volume of several levels by gradients that each lane of a quad has for itself; some lanes have a fetch of their own elsewhere, and some have ended.
extern "C" __global__ void slopes(cudaTextureObject_t volume, const int *kinds, float *out)
{
    int i = threadIdx.x, kind = kinds[i];
    if (kind == 2)
        return;
    float u = (i % 8 + 0.25f) * 0.125f, v = (i / 8 + 0.5f) * 0.125f, w = 0.75f - u * 0.5f;
    float step = (float)(1 << (i % 4)) * 0.0625f;
    float value = u + 2 * v;
    if (kind == 0)
        // The longer gradient is 2^(i % 4) / 16 of 8 texels.
        value = tex3DGrad<float>(volume, u, v, w, make_float4(step, 0, 0, 0), make_float4(0, step * 0.5f, 0, 0));
    else
        value += tex3DGrad<float>(volume, v, u, u, make_float4(0, 0, step * 0.25f, 0), make_float4(0, 0, step * 0.5f, 0));
    out[i] = value;
}
