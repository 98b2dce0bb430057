// Points in a quarter of a circle counted with whole numbers.
extern "C" __global__ void points(unsigned *inside, int rounds) {
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u, count = 0;
    for (int i = 0; i < rounds; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned long long x = state >> 16;
        state = state * 1664525u + 1013904223u;
        unsigned long long y = state >> 16;
        count += x * x + y * y < 1ull << 32;
    }
    count = __reduce_add_sync(~0u, count);
    if (threadIdx.x % 32 == 0) atomicAdd(inside, count);
}
