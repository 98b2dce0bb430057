// A unit with what another one uses, and with things of its own that have the names of things there.
#include <cstdio>

__device__ int counter = 5;
__managed__ int managed = 9;

static __device__ int times(int x) { return x * 7; }

__device__ int sevenf(int x) { return times(x) + 1; }

template <class T> __global__ void adds(T *p) { p[0] += counter; }

static __global__ void own(int *p) {
    p[1] += 1000;
    managed = p[0];
}

namespace {
__device__ int hidden = 6;
}

int run(int *p) {
    adds<<<1, 1>>>(p);
    own<<<1, 1>>>(p);
    int value = 0;
    cudaMemcpyFromSymbol(&value, hidden, sizeof value);
    std::printf(" and %d\n", value);
    return cudaDeviceSynchronize();
}
