// Where each thread is: all indices and sizes in three dimensions.
extern "C" __global__ void indices(unsigned *out) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned lane, warp;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    unsigned *to = out + (block * blockDim.x * blockDim.y * blockDim.z + thread) * 4;
    to[0] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
    to[1] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
    to[2] = lane | (warp < 2) << 8;
    to[3] = gridDim.x * gridDim.y * gridDim.z * 1000 + blockDim.x * blockDim.y * blockDim.z;
}
