// The driver API: what nodes of graphs are asked for and changed to, graphs within graphs, values that streams write and wait for, advice, and names of
// functions of older versions.
#include <cstdint>
#include <cstdio>
#include <cuda.h>

#define CHECK(call)                                                                    \
    do {                                                                               \
        const char *name;                                                              \
        CUresult result = call;                                                        \
        cuGetErrorName(result, &name);                                                 \
        if (result != CUDA_SUCCESS) std::printf("line %d: %s\n", __LINE__, name);      \
    } while (0)

int main() {
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CUlibrary library;
    CUkernel kernel;
    CHECK(cuLibraryLoadFromFile(&library, "kernel.fatbin", nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "add"));
    CUdeviceptr word;
    CHECK(cuMemAllocManaged(&word, 8, CU_MEM_ATTACH_GLOBAL));
    volatile int &seen = *reinterpret_cast<int *>(word);

    // A kernel of a library, in a graph that is a node of another.
    CUgraph graph, inner, own;
    CUgraphNode add, node;
    CHECK(cuGraphCreate(&graph, 0));
    CHECK(cuGraphCreate(&inner, 0));
    int value = 5;
    void *arguments[] = {&word, &value};
    CUDA_KERNEL_NODE_PARAMS launch = {}, asked;
    launch.kern = kernel, launch.kernelParams = arguments;
    launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimX = launch.blockDimY = launch.blockDimZ = 1;
    CHECK(cuGraphAddKernelNode(&add, inner, nullptr, 0, &launch));
    value = 0;
    CHECK(cuGraphKernelNodeGetParams(add, &asked));
    std::printf("kernel of a library: %d, its value %d\n", asked.kern == kernel && !asked.func, *static_cast<int *>(asked.kernelParams[1]));
    CHECK(cuGraphAddChildGraphNode(&node, graph, nullptr, 0, inner));
    CHECK(cuGraphChildGraphNodeGetGraph(node, &own));
    size_t count = 0;
    CHECK(cuGraphGetNodes(own, nullptr, &count));
    std::printf("a copy: %d, of %zu node\n", own != inner, count);
    CUgraphExec executable;
    CHECK(cuGraphInstantiate(&executable, graph, 0));
    CHECK(cuGraphLaunch(executable, nullptr));
    std::printf("after the launch %d\n", seen);

    // Values.
    CHECK(cuStreamWriteValue32(nullptr, word, 7, 0));
    CHECK(cuStreamWaitValue32(nullptr, word, 7, CU_STREAM_WAIT_VALUE_EQ));
    std::printf("written %d\n", seen);

    // Advice.
    CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    int preferred = 0, mostly = 0;
    CHECK(cuMemAdvise(word, 8, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    CHECK(cuMemAdvise(word, 8, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
    CHECK(cuMemRangeGetAttribute(&preferred, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, word, 8));
    CHECK(cuMemRangeGetAttribute(&mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, word, 8));
    std::printf("preferred %d, read mostly %d\n", preferred, mostly);

    // A program of CUDA 12.2 prefetches to a device, not to a place.
    void *old = nullptr, *today = nullptr;
    CUdriverProcAddressQueryResult found;
    CHECK(cuGetProcAddress("cuMemPrefetchAsync", &old, 12010, 0, &found));
    CHECK(cuGetProcAddress("cuMemPrefetchAsync", &today, 13000, 0, &found));
    CHECK(reinterpret_cast<CUresult (*)(CUdeviceptr, size_t, CUdevice, CUstream)>(old)(word, 8, CU_DEVICE_CPU, nullptr));
    CHECK(cuMemRangeGetAttribute(&preferred, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, word, 8));
    std::printf("two functions: %d, prefetched to %d\n", old != today, preferred);
    std::printf("before CUDA 8: %d", cuGetProcAddress("cuMemPrefetchAsync", &old, 7000, 0, &found));
    std::printf(", result %d\n", found);
    return 0;
}
