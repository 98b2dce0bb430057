// Tiles from an atlas of layers, coloured by palettes that are layers of lines.
extern "C" __global__ void tiles(cudaTextureObject_t atlas, cudaTextureObject_t palettes, const unsigned char *map, uint4 *out)
{
    int tile = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    int layer = map[2 * tile], palette = map[2 * tile + 1];
    unsigned char index = tex2DLayered<unsigned char>(atlas, x + 0.5f, y + 0.5f, layer);
    ushort4 colour = tex1DLayered<ushort4>(palettes, index + 0.5f, palette);
    out[(tile * blockDim.y + y) * blockDim.x + x] = make_uint4(colour.x, colour.y, colour.z, colour.w);
}
