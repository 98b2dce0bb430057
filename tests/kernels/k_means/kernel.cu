// Assignment of points to the nearest of some centres and sums for the new centres, with whole coordinates.
extern "C" __global__ void assign(const int2 *points, const int2 *centres, int count, int k, int *nearest, int *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int2 p = points[i];
    int best = 0x7fffffff, which = -1;
    for (int c = 0; c < k; c++) {
        int dx = p.x - centres[c].x, dy = p.y - centres[c].y, d = dx * dx + dy * dy;
        if (d < best) {
            best = d;
            which = c;
        }
    }
    nearest[i] = which;
    atomicAdd(&sums[3 * which], p.x);
    atomicAdd(&sums[3 * which + 1], p.y);
    atomicAdd(&sums[3 * which + 2], 1);
}
