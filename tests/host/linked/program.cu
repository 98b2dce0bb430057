// The program: kernels that call and read what the other unit defines.
#include <cstdio>

extern __device__ int counter;
extern __managed__ int managed;
extern __device__ int sevenf(int x);
int run(int *p);

static __device__ int times(int x) { return x * 3; }

__global__ void runs_it(int *p) { p[threadIdx.x] = sevenf(threadIdx.x) + times(2) + counter; }

template <class T> __global__ void adds(T *p) { p[0] += counter; }

static __global__ void own(int *p) { p[1] += 100; }

namespace {
__device__ int hidden = 4;
}

int main() {
    int *p;
    cudaMallocManaged(&p, 128);
    runs_it<<<1, 32>>>(p);
    int value = 50;
    cudaMemcpyToSymbol(counter, &value, sizeof value);
    cudaDeviceSynchronize();
    std::printf("called %d %d\n", p[0], p[31]);
    adds<<<1, 1>>>(p);
    own<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    std::printf("from a template %d, own %d\n", p[0], p[1]);
    cudaMemcpyFromSymbol(&value, hidden, sizeof value);
    std::printf("hidden %d", value);
    int status = run(p);
    std::printf("from the other unit %d %d, managed %d\n", p[0], p[1], managed);
    return status;
}
