#include <cstdio>
template <class F> __global__ void apply(int *p, int n, F f) { int i = threadIdx.x; if (i < n) f(p, i); }
template <class F> void run(int *p, int n, F f) { apply<<<1, 32>>>(p, n, f); }
struct Box { int k; void go(int *p) { int by = k; run(p, 4, [=] __device__ (int *q, int i) { q[i] += by; }); } };
static void inner(int *p) { run(p, 4, [] __host__ __device__ (int *q, int i) { q[i] *= 2; }); }
int main() {
    int *p, h[4] = {1, 2, 3, 4};
    cudaMalloc(&p, sizeof h);
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    int three = 3;
    auto f = [three] __device__ (int *q, int i) { q[i] += three * __popc(i); };
    run(p, 4, f);
    Box{10}.go(p);
    inner(p);
    struct Local { int x; __device__ void operator()(int *q, int i) const { q[i] -= x; } };
    run(p, 4, Local{1});
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %d %s\n", h[0], h[1], h[2], h[3], cudaGetErrorString(cudaGetLastError()));
}
