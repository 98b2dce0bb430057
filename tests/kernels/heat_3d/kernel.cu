// One step of a seven-point stencil in three dimensions, with a 3-D grid.
extern "C" __global__ void heat(const int *in, int *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    auto at = [&](int x, int y, int z) {
        return (unsigned)x < nx && (unsigned)y < ny && (unsigned)z < nz ? in[(z * ny + y) * nx + x] : 0;
    };
    out[(z * ny + y) * nx + x] = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1) -
                                 6 * at(x, y, z);
}
