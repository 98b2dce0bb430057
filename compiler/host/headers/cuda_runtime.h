// The CUDA runtime for C++: read before the first line of every unit in CUDA C++.
#ifndef WARPSMITH_CUDA_RUNTIME_H
#define WARPSMITH_CUDA_RUNTIME_H
/* Programs ask whether it was read. */
#define __CUDA_RUNTIME_H__
#if defined(__cplusplus) && defined(__CUDACC__)
// Before the host's own headers, so that what both declare runs on both sides.
#include <warpsmith/host_library.h>
#endif
#include <cuda_runtime_api.h>

#ifdef __cplusplus
#include <utility>
#ifdef __CUDACC__
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmath>
#include <cstdlib>
#include <new>
#include <warpsmith/integer.h>
#include <warpsmith/convert.h>
#include <warpsmith/host_math.h>
// The C library has a function of this name.
#define clock __warpsmith_clock
#include <warpsmith/memory.h>
#undef clock
#include <warpsmith/atomic.h>
#include <warpsmith/warp.h>
#include <warpsmith/simd.h>
#include <warpsmith/simd_extremes.h>
#include <warpsmith/texture.h>
#endif

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return cudaExtent{width, height, depth}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height) {
    return cudaPitchedPtr{pointer, pitch, width, height};
}

template <class T> static inline WARPSMITH_BOTH cudaError_t cudaMalloc(T **pointer, size_t size) { return ::cudaMalloc((void **)pointer, size); }
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned flags = 0) { return ::cudaHostAlloc((void **)pointer, size, flags); }
template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned flags) { return ::cudaHostAlloc((void **)pointer, size, flags); }
template <class T> static inline cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged((void **)pointer, size, flags);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return ::cudaMallocPitch((void **)pointer, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
    return ::cudaMallocAsync((void **)pointer, size, stream);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}
template <class T> static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
    return ::cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, size, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, size, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
    return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) { return ::cudaGetSymbolSize(size, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t size = 0, unsigned flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, (void *)pointer, size, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) { return ::cudaEventCreateWithFlags(event, flags); }

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t) {
    return ::cudaGraphInstantiate(executable, graph, 0);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *errorNode, cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = ::cudaGraphExecUpdate(executable, graph, &info);
    if (errorNode) *errorNode = info.errorNode;
    if (result) *result = info.result;
    return error;
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, const T &symbol, const void *from, size_t size, size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, count, (const void *)&symbol, from, size, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, void *to, const T &symbol, size_t size, size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, count, to, (const void *)&symbol, size, offset, kind);
}

template <class T> static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*function)(Parameters...), Arguments &&...arguments) {
    return [&](Parameters... values) {
        const volatile void *addresses[] = {__builtin_addressof(values)..., 0};
        return ::cudaLaunchKernelExC(config, (const void *)function, (void **)addresses);
    }(std::forward<Arguments>(arguments)...);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) {
    return ::cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value) {
    return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config) {
    return ::cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, T function, int threads, size_t shared) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, (const void *)function, threads, shared);
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, T function, int threads, size_t shared, unsigned flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, (const void *)function, threads, shared, flags);
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveClusters(int *count, T *function, const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxActiveClusters(count, (const void *)function, config);
}
template <class T> static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *function, const cudaLaunchConfig_t *config) {
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)function, config);
}
template <class T> static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size, T *function, int blocks, int threads) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(size, (const void *)function, blocks, threads);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *function) { return ::cudaFuncGetName(name, (const void *)function); }
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *found, T *function) { return ::cudaGetFuncBySymbol(found, (const void *)function); }
// The block size that keeps most threads resident, of those that are a multiple of a warp, where shared memory depends on the size.
template <class T, class Shared>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *leastGrid, int *block, T function, Shared shared, int limit = 0) {
    cudaFuncAttributes attributes;
    int device = 0, multiprocessors = 0, best = 0;
    cudaError_t result = cudaGetDevice(&device);
    if (result == cudaSuccess) result = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (result == cudaSuccess) result = ::cudaFuncGetAttributes(&attributes, (const void *)function);
    if (result != cudaSuccess) return result;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    *block = *leastGrid = 0;
    for (int threads = most; threads > 0; threads = threads % 32 ? threads - threads % 32 : threads - 32) {
        int count = 0;
        result = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, (const void *)function, threads, shared(threads));
        if (result != cudaSuccess) return result;
        if (count * threads > best) {
            best = count * threads;
            *block = threads;
            *leastGrid = count * multiprocessors;
        }
    }
    return cudaSuccess;
}
template <class T, class Shared>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *leastGrid, int *block, T function, Shared shared, int limit = 0, unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(leastGrid, block, function, shared, limit);
}
template <class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *leastGrid, int *block, T function, size_t shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(leastGrid, block, function, [shared](int) { return shared; }, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *leastGrid, int *block, T function, size_t shared = 0, int limit = 0, unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSize(leastGrid, block, function, shared, limit);
}

// Formats of texels by their types.
template <class T> struct __warpsmith_channels;
#define WARPSMITH_CHANNELS(type, bits, kind)                                                                                              \
    template <> struct __warpsmith_channels<type> {                                                                                       \
        static cudaChannelFormatDesc make() { return cudaCreateChannelDesc(bits, 0, 0, 0, kind); }                                         \
    };
#define WARPSMITH_CHANNELS_OF(name, bits, kind)                                                                                           \
    template <> struct __warpsmith_channels<name##1> {                                                                                    \
        static cudaChannelFormatDesc make() { return cudaCreateChannelDesc(bits, 0, 0, 0, kind); }                                         \
    };                                                                                                                                    \
    template <> struct __warpsmith_channels<name##2> {                                                                                    \
        static cudaChannelFormatDesc make() { return cudaCreateChannelDesc(bits, bits, 0, 0, kind); }                                      \
    };                                                                                                                                    \
    template <> struct __warpsmith_channels<name##4> {                                                                                    \
        static cudaChannelFormatDesc make() { return cudaCreateChannelDesc(bits, bits, bits, bits, kind); }                                \
    };
WARPSMITH_CHANNELS(char, 8, cudaChannelFormatKindSigned)
WARPSMITH_CHANNELS(signed char, 8, cudaChannelFormatKindSigned)
WARPSMITH_CHANNELS(unsigned char, 8, cudaChannelFormatKindUnsigned)
WARPSMITH_CHANNELS(short, 16, cudaChannelFormatKindSigned)
WARPSMITH_CHANNELS(unsigned short, 16, cudaChannelFormatKindUnsigned)
WARPSMITH_CHANNELS(int, 32, cudaChannelFormatKindSigned)
WARPSMITH_CHANNELS(unsigned, 32, cudaChannelFormatKindUnsigned)
WARPSMITH_CHANNELS(float, 32, cudaChannelFormatKindFloat)
WARPSMITH_CHANNELS_OF(char, 8, cudaChannelFormatKindSigned)
WARPSMITH_CHANNELS_OF(uchar, 8, cudaChannelFormatKindUnsigned)
WARPSMITH_CHANNELS_OF(short, 16, cudaChannelFormatKindSigned)
WARPSMITH_CHANNELS_OF(ushort, 16, cudaChannelFormatKindUnsigned)
WARPSMITH_CHANNELS_OF(int, 32, cudaChannelFormatKindSigned)
WARPSMITH_CHANNELS_OF(uint, 32, cudaChannelFormatKindUnsigned)
WARPSMITH_CHANNELS_OF(float, 32, cudaChannelFormatKindFloat)
#undef WARPSMITH_CHANNELS
#undef WARPSMITH_CHANNELS_OF
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() { return __warpsmith_channels<T>::make(); }
#endif
#endif
