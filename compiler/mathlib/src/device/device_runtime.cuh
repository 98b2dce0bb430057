// The CUDA runtime on the device: kernels that kernels launch, and what of cuda_runtime.h device code may call.
//
// A launch is a block of memory that the system takes: what the emulator's launches read (`compiler/emu/src/children.rs`). All of a grid's launches run
// in their order when the grid has ended, so that streams and events have nothing to add; one that cannot be is a fault, so that there are no errors to ask
// for.

#pragma once
#include "common.cuh"

extern "C" __device__ void *malloc(unsigned long size);
extern "C" __device__ void free(void *memory);
// Of the system.
extern "C" __device__ void __warpsmith_launch(void *block);

struct LaunchBlock {
    const void *kernel;
    unsigned grid[3], block[3], shared, unused;
    void *stream;
    unsigned long reserved[2];
};
static_assert(sizeof(LaunchBlock) == 64, "parameters follow at 64");

// Memory for the parameters, of so many bytes.
FUNCTION void *__nv_launch_block(const void *kernel, const unsigned *grid, const unsigned *block, unsigned long shared, void *stream, unsigned long bytes) {
    LaunchBlock *made = (LaunchBlock *)malloc(sizeof(LaunchBlock) + bytes);
    if (!made) __builtin_trap();
    made->kernel = kernel;
    for (int axis = 0; axis < 3; axis++) made->grid[axis] = grid[axis], made->block[axis] = block[axis];
    made->shared = (unsigned)shared;
    made->stream = stream;
    return made + 1;
}
FUNCTION void __nv_launch(void *parameters) { __warpsmith_launch((LaunchBlock *)parameters - 1); }

// In place of a kernel: 0 copies bytes, 1 sets them.
HELPER unsigned long *move(unsigned long what, void *to, unsigned long from, unsigned long bytes, void *stream) {
    unsigned one[3] = {1, 1, 1};
    unsigned long *parameters = (unsigned long *)__nv_launch_block((const void *)what, one, one, 0, stream, 32);
    parameters[0] = (unsigned long)to, parameters[1] = from, parameters[2] = bytes;
    return parameters;
}
HELPER int moved(unsigned long what, void *to, unsigned long from, unsigned long bytes, void *stream) {
    __nv_launch(move(what, to, from, bytes, stream));
    return 0;
}
FUNCTION int __nv_cudaMemcpyAsync(void *to, const void *from, unsigned long bytes, int, void *stream) { return moved(0, to, (unsigned long)from, bytes, stream); }
FUNCTION int __nv_cudaMemsetAsync(void *to, int value, unsigned long bytes, void *stream) { return moved(1, to, value & 255, bytes, stream); }

// The condition of a graph is a word in memory, whose address is its handle; it counts when the grid has ended.
FUNCTION void __nv_cudaGraphSetConditional(unsigned long handle, unsigned value) {
    unsigned long *parameters = move(0, (void *)handle, 0, 4, nullptr);
    parameters[1] = (unsigned long)(parameters + 3), parameters[3] = value;
    __nv_launch(parameters);
}

FUNCTION int __nv_cudaMalloc(void **memory, unsigned long bytes) {
    *memory = malloc(bytes);
    return *memory || !bytes ? 0 : 2; // cudaErrorMemoryAllocation
}
FUNCTION int __nv_cudaFree(void *memory) {
    free(memory);
    return 0;
}
FUNCTION int __nv_cudaGetLastError() { return 0; }
FUNCTION int __nv_cudaPeekAtLastError() { return 0; }
FUNCTION int __nv_cudaGetDevice(int *device) {
    *device = 0;
    return 0;
}
FUNCTION int __nv_cudaGetDeviceCount(int *count) {
    *count = 1;
    return 0;
}
FUNCTION int __nv_cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}
// Any handle that is none of the streams with names.
FUNCTION int __nv_cudaStreamCreateWithFlags(void **stream, unsigned) {
    *stream = (void *)16;
    return 0;
}
FUNCTION int __nv_cudaStreamDestroy(void *) { return 0; }
FUNCTION int __nv_cudaStreamWaitEvent(void *, void *, unsigned) { return 0; }
FUNCTION int __nv_cudaEventCreateWithFlags(void **event, unsigned) {
    *event = (void *)16;
    return 0;
}
FUNCTION int __nv_cudaEventRecord(void *, void *) { return 0; }
FUNCTION int __nv_cudaEventDestroy(void *) { return 0; }
