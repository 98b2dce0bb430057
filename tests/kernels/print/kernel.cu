// What printf makes of its arguments, from one thread after the other.
#include <cstdio>
extern "C" __global__ void print(int count) {
    for (int i = 0; i < count; i++) {
        if (threadIdx.x == i) {
            printf("thread %d of %u: %5.2f|%-6d|%04x|%c|%s|%%|%lld\n", i, blockDim.x, i * 1.5, i - 1, 0xab + i, 'a' + i, i ? "yes" : "no",
                   -1000000000000ll * i);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) printf("end %e %g %+d %8s|\n", 12345.678, 0.5, 7, "x");
}
