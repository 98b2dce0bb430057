// Atomic sums of floating-point numbers that are whole, so that the order does not matter.
extern "C" __global__ void sums(float *single, double *wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float before = atomicAdd(&single[i % 3], (float)i);
    if (before < 0) single[3] = before;
    atomicAdd(&wide[i % 2], (double)i * i - 0.5);
    __shared__ float s;
    if (threadIdx.x == 0) s = 0.25f;
    __syncthreads();
    atomicAdd(&s, 2.0f);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&single[4], s);
}
