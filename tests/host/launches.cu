// Kernels that launch kernels: streams keep their order, what was launched is done before what comes after its parent, and a tail comes last.
#include <cstdio>
struct Pair {
    char first;
    double second;
};
__global__ void leaf(int *out, int at, Pair pair) { out[at] += pair.first + (int)pair.second; }
__global__ void tail(int *out) {
    printf("tail %d %d %x\n", out[0], out[1], out[2]);
    out[3] = out[0] + out[1];
}
template <class T> __global__ void middle(T *out, int depth) {
    unsigned thread = threadIdx.x;
    out[thread] = 10 * depth;
    if (depth < 2 && thread == 0) middle<T><<<1, 2>>>(out, depth + 1);
    leaf<<<1, 1>>>(out, thread, Pair{(char)depth, 1.5});
}
__global__ void top(int *out) {
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    middle<int><<<dim3(1), 2, 0, stream>>>(out, 0);
    int *bytes;
    cudaMalloc(&bytes, 8);
    cudaMemsetAsync(bytes, 1, 8, stream);
    cudaMemcpyAsync(out + 2, bytes, 4, cudaMemcpyDeviceToDevice, stream);
    cudaStreamDestroy(stream);
    printf("top %d\n", (int)cudaGetLastError());
}
__global__ void shared(int *out) {
    extern __shared__ int words[];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    atomicAdd(out, words[blockDim.x - 1 - threadIdx.x]);
}
__global__ void grids(int *out) { shared<<<dim3(2, 2), dim3(32, 2), 64 * sizeof(int)>>>(out + blockIdx.x); }
__global__ void wrong(int *out) { shared<<<1, 2048>>>(out); }
int main() {
    int *out, host[4];
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    top<<<1, 1>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %x %d\n", host[0], host[1], host[2], host[3]);
    cudaMemset(out, 0, sizeof host);
    grids<<<3, 1>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    wrong<<<1, 1>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
