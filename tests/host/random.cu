// Random numbers on the device: of seeds, subsequences and offsets, and each distribution.
#include <cstdio>
#include <curand_kernel.h>

template <class State> __global__ void numbers(unsigned long long seed, unsigned long long subsequence) {
    State state, other;
    curand_init(seed, subsequence, 3, &state);
    curand_init(seed, subsequence, 0, &other);
    curand(&other);
    skipahead(2ull, &other);
    unsigned first = curand(&state);
    printf("%08x %s", first, first == curand(&other) ? "same" : "other");
    skipahead_sequence(5ull, &state);
    printf(" %08x %.9g %.17g", curand(&state), curand_uniform(&state), curand_uniform_double(&state));
    for (int i = 0; i < 3; ++i) printf(" %.5f %.5f", curand_normal(&state), curand_normal_double(&state));
    float2 pair = curand_normal2(&state);
    double2 wide = curand_normal2_double(&state);
    printf(" %.5f %.5f %.5f %.5f", pair.x, pair.y, wide.x, wide.y);
    printf(" %.4f %.4f\n", curand_log_normal(&state, 1.0f, 0.5f), curand_log_normal_double(&state, -1.0, 2.0));
}

__global__ void fours() {
    curandStatePhilox4_32_10_t state;
    curand_init(42, 7, 1, &state);
    for (int i = 0; i < 3; ++i) {
        uint4 four = curand4(&state);
        printf("%08x %08x %08x %08x %08x\n", four.x, four.y, four.z, four.w, curand(&state));
    }
    float4 uniform = curand_uniform4(&state), normal = curand_normal4(&state);
    double2 two = curand_uniform2_double(&state);
    double4 wide = curand_normal4_double(&state);
    printf("%.9g %.9g %.5f %.5f %.17g %.17g %.5f %.5f\n", uniform.x, uniform.w, normal.x, normal.w, two.x, two.y, wide.x, wide.w);
    double4 uniforms = curand_uniform4_double(&state), logs = curand_log_normal4_double(&state, 0.5, 0.25);
    printf("%.17g %.17g %.5f %.5f\n", uniforms.x, uniforms.w, logs.x, logs.w);
}

int main() {
    printf("%zu %zu\n", sizeof(curandState), sizeof(curandStatePhilox4_32_10_t));
    for (unsigned long long subsequence : {0ull, 1ull, 1ull << 33, ~0ull}) {
        numbers<curandState><<<1, 1>>>(0xdeadbeefcafe, subsequence);
        numbers<curandStatePhilox4_32_10_t><<<1, 1>>>(1234, subsequence);
    }
    fours<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
