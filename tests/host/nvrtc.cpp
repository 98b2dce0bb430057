// A program that compiles a kernel when it runs, and launches it by the driver.
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

static const char *source = "template <class T> __global__ void twice(T *values) { values[threadIdx.x] *= FACTOR; }\n";

int main() {
    nvrtcProgram program;
    const char *options[] = {"-arch=sm_90", "-DFACTOR=2"};
    nvrtcResult created = nvrtcCreateProgram(&program, source, "twice.cu", 0, nullptr, nullptr);
    if (created != NVRTC_SUCCESS) {
        std::printf("%s\n", nvrtcGetErrorString(created));
        return 1;
    }
    nvrtcAddNameExpression(program, "twice<float>");
    nvrtcResult compiled = nvrtcCompileProgram(program, 2, options);
    size_t bytes = 0;
    const char *name = nullptr;
    nvrtcGetLoweredName(program, "twice<float>", &name);
    nvrtcGetCUBINSize(program, &bytes);
    std::vector<char> cubin(bytes);
    nvrtcGetCUBIN(program, cubin.data());
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr values;
    float host[4] = {1, 2, 3, 4.5f};
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuModuleLoadData(&module, cubin.data());
    cuModuleGetFunction(&kernel, module, name);
    cuMemAlloc(&values, sizeof host);
    cuMemcpyHtoD(values, host, sizeof host);
    void *arguments[] = {&values};
    CUresult launched = cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, 0, arguments, 0);
    cuMemcpyDtoH(host, values, sizeof host);
    std::printf("%s %s %d %g\n", nvrtcGetErrorString(compiled), name, launched, host[3]);
    nvrtcDestroyProgram(&program);
}
