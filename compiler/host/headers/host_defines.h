/* CUDA's words. Warpsmith knows them itself; that they are macros, too, is for who asks. Other compilers see nothing of them. */
#ifndef WARPSMITH_HOST_DEFINES_H
#define WARPSMITH_HOST_DEFINES_H
/* Programs ask whether it was read. */
#define __HOST_DEFINES_H__
#ifdef __CUDACC__
#define __global__ __global__
#define __device__ __device__
#define __host__ __host__
#define __shared__ __shared__
#define __constant__ __constant__
#define __managed__ __managed__
#define __forceinline__ __forceinline__
#else
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(n)
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDARTAPI_CDECL
#define __WARPSMITH_DEVICE static __device__ __forceinline__
#define __WARPSMITH_BOTH static __host__ __device__ __forceinline__
#endif
