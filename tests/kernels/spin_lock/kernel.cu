// A lock by compare-and-swap: threads of one warp compete, which needs independent progress.
__device__ int lock;
__device__ volatile int counter;
extern "C" __global__ void locked(int *out) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            counter = counter + threadIdx.x;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(out, 0);
}
