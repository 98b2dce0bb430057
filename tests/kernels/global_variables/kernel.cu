// Variables that the module initialises: numbers, pointers to each other, strings.
__device__ int numbers[5] = {1, -2, 3};
__device__ int *middle = &numbers[2];
__device__ const char *words[3] = {"one", "two", "three"};
__constant__ short table[2][3] = {{1, 2, 3}, {-4, -5, -6}};
__device__ unsigned long long wide = 0xfedcba9876543210ull;
extern "C" __global__ void variables(int *out) {
    int t = threadIdx.x;
    int sum = middle[t % 2] * 100 + table[t & 1][t % 3];
    for (const char *p = words[t % 3]; *p; p++) sum += *p;
    out[t] = sum + (int)(wide >> 4 * t);
    atomicAdd(&numbers[4], t);
}
