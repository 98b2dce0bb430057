// Sums of whole numbers in single precision by shuffles in each warp.
extern "C" __global__ void reduce_shuffle(const float *data, float *sums) {
    float sum = data[blockIdx.x * blockDim.x + threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}
