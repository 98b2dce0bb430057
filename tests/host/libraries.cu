// The runtime: functions of the driver by name and version, kernels of libraries, and what nodes of graphs are asked for.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t error = (call); if (error != cudaSuccess) std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(error)); } while (0)

__global__ void twice(int *word) { *word *= 2; }

int main() {
    void *encode = nullptr, *missing = &encode;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &status));
    std::printf("tensor maps: %d, status %d\n", encode != nullptr, status);
    CHECK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &missing, 12000, cudaEnableDefault, &status));
    std::printf("missing: %d, status %d\n", missing == nullptr, status);

    int *word;
    CHECK(cudaMallocManaged(&word, sizeof(int)));
    *word = 1;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned count = 0;
    CHECK(cudaLibraryLoadFromFile(&library, "kernel.fatbin", nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernelCount(&count, library));
    CHECK(cudaLibraryGetKernel(&kernel, library, "add"));
    int value = 20;
    void *arguments[] = {&word, &value};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf("%u kernel, %d\n", count, *word);

    cudaGraph_t graph, child;
    cudaGraphNode_t launch, copy, inner;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams of_launch = {}, asked;
    of_launch.func = reinterpret_cast<void *>(twice), of_launch.gridDim = of_launch.blockDim = dim3(1), of_launch.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&launch, graph, nullptr, 0, &of_launch));
    CHECK(cudaGraphKernelNodeGetParams(launch, &asked));
    std::printf("the stub: %d, its argument: %d\n", asked.func == of_launch.func, *static_cast<int **>(asked.kernelParams[0]) == word);
    int host = 0;
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &launch, 1, &host, word, sizeof(int), cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms of_copy;
    CHECK(cudaGraphMemcpyNodeGetParams(copy, &of_copy));
    std::printf("a copy of %zu bytes, kind %d, to the host's %d\n", of_copy.extent.width, of_copy.kind, of_copy.dstPtr.ptr == &host);
    cudaGraph_t outer;
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&inner, outer, nullptr, 0, graph));
    CHECK(cudaGraphChildGraphNodeGetGraph(inner, &child));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(child, nullptr, &nodes));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, outer, 0));
    CHECK(cudaGraphLaunch(executable, nullptr));
    CHECK(cudaDeviceSynchronize());
    std::printf("%zu nodes, %d\n", nodes, host);
    CHECK(cudaLibraryUnload(library));
    return 0;
}
