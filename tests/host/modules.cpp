// The driver API alone: a kernel of a fat binary in a file, an array and a texture, and work that a stream keeps until its graph is launched.
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
    CUmodule module;
    CUfunction kernel;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoad(&module, "kernel.fatbin"));
    CHECK(cuModuleGetFunction(&kernel, module, "texels"));

    CUDA_ARRAY_DESCRIPTOR shape = {};
    shape.Width = 4;
    shape.Height = 1;
    shape.Format = CU_AD_FORMAT_FLOAT;
    shape.NumChannels = 1;
    CUarray array;
    CHECK(cuArrayCreate(&array, &shape));
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how = {};
    for (auto &mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject texture;
    CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    CUdeviceptr memory;
    CHECK(cuMemAlloc(&memory, 64));
    CHECK(cuMemsetD8(memory, 0, 64));

    // Captured: nothing of it is done until the graph is launched.
    CUstream stream;
    CUgraph graph;
    CUgraphExec executable;
    float texels[4] = {1, 2, 3, 4}, back[16];
    void *arguments[] = {&texture, &memory};
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(cuMemcpyHtoAAsync(array, 0, texels, sizeof texels, stream));
    CHECK(cuMemsetD2D32Async(memory + 16, 32, 0x40a00000, 2, 2, stream));
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, stream, arguments, nullptr));
    CHECK(cuStreamEndCapture(stream, &graph));
    CHECK(cuMemcpyDtoH(back, memory, sizeof back));
    std::printf("before %g %g\n", back[0], back[4]);
    CHECK(cuGraphInstantiate(&executable, graph, 0));
    CHECK(cuGraphLaunch(executable, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuMemcpyDtoH(back, memory, sizeof back));
    for (float value : back) std::printf("%g ", value);
    std::printf("\n");
    CHECK(cuGraphExecDestroy(executable));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuTexObjectDestroy(texture));
    CHECK(cuArrayDestroy(array));
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease(device));
}
