#include <cstdio>
#include <vector>
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); return 1; } } while (0)

namespace {
__device__ int hidden = 3;
__global__ void add_hidden(int *p) { *p += hidden; }
}
namespace inner {
__constant__ float table[] = {1, 2, 3};
enum class Kind { Plus = 1, Times };
template <class T, Kind kind, typename = void> __global__ void __launch_bounds__(128) apply(T *p, const T by, int) {
    *p = kind == Kind::Plus ? *p + by : *p * by;
}
template <> __global__ void apply<float, Kind::Times, void>(float *p, const float by, int) { *p = *p * by + table[2]; }
template <class... A> __global__ void sum(int *out, A... values) { *out = (0 + ... + int(values)); }
struct Pair {
    int a, b;
    __host__ __device__ Pair(int a, int b = 2) : a(a), b(b) {}
    __device__ int product() const { return a * b; }
};
}
static __device__ double scale = 4.0;
__managed__ int shared_by_both = 7;
__device__ int of_threads(int x) { return __shfl_sync(~0u, x, 1); }
__device__ constexpr int five() { return 5; }
extern "C" __global__ void products(int *out, inner::Pair pair, int (*)(int)) {
    int lane = of_threads(threadIdx.x);
    if (threadIdx.x == 0) *out = pair.product() + lane + five() + int(scale);
}
__global__ void declared_first(int *);
static __global__ void bump() { shared_by_both += 1; }
struct Runner {
    int *p;
    template <class T> void run(T by) { inner::apply<T, inner::Kind::Plus><<<1, 1>>>((T *)p, by, 0); }
};
int main(int argc, char **) {
    int *p, out = 39;
    CHECK(cudaMalloc(&p, sizeof(int)));
    CHECK(cudaMemcpy(p, &out, sizeof out, cudaMemcpyHostToDevice));
    add_hidden<<<1, 1>>>(p);
    CHECK(cudaMemcpy(&out, p, sizeof out, cudaMemcpyDeviceToHost));
    std::printf("hidden %d\n", out);
    Runner{p}.run(8);
    if (argc) inner::apply<int, inner::Kind::Times><<<dim3(1), dim3(1, 1, 1), 0, 0>>>(p, 2, 1); else declared_first<<<1, 1>>>(p);
    CHECK(cudaMemcpy(&out, p, sizeof out, cudaMemcpyDeviceToHost));
    std::printf("applied %d\n", out);
    float f = 1.5f;
    CHECK(cudaMemcpy(p, &f, sizeof f, cudaMemcpyHostToDevice));
    inner::apply<float, inner::Kind::Times><<<1, 1>>>((float *)p, 2.0f, 0);
    CHECK(cudaMemcpy(&f, p, sizeof f, cudaMemcpyDeviceToHost));
    std::printf("specialised %g\n", f);
    inner::sum<<<1, 1>>>(p, 1, 2.5, 'c', 4ull);
    CHECK(cudaMemcpy(&out, p, sizeof out, cudaMemcpyDeviceToHost));
    std::printf("sum %d\n", out);
    products<<<1, 32>>>(p, inner::Pair(3), nullptr);
    CHECK(cudaMemcpy(&out, p, sizeof out, cudaMemcpyDeviceToHost));
    std::printf("products %d\n", out);
    declared_first
        <<<1,
           1>>>(p);
    CHECK(cudaMemcpy(&out, p, sizeof out, cudaMemcpyDeviceToHost));
    std::printf("declared %d at line %d\n", out, __LINE__);
    bump<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    shared_by_both *= 2;
    std::printf("managed %d\n", shared_by_both);
    double changed = 0.5;
    CHECK(cudaMemcpyToSymbol(scale, &changed, sizeof changed));
    products<<<1, 32>>>(p, inner::Pair(3, 1), nullptr);
    CHECK(cudaMemcpy(&out, p, sizeof out, cudaMemcpyDeviceToHost));
    std::printf("symbol %d, table %zu\n", out, sizeof inner::table);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, inner::apply<int, inner::Kind::Plus>));
    std::printf("threads %d\n", attributes.maxThreadsPerBlock);
    declared_first<<<1, 2048>>>(p);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
__global__ void declared_first(int *p) { *p = 11; }
