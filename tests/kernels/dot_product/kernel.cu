// Dot product of half-integers in single precision, with vectors of four.
extern "C" __global__ void dot(const float4 *a, const float4 *b, float *out, int quads) {
    __shared__ float sums[4];
    float sum = 0;
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
        float4 x = a[i], y = b[i];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];
}
