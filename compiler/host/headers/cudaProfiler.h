/* Where a profiler measures, in the driver API. */
#ifndef WARPSMITH_CUDA_PROFILER_H
#define WARPSMITH_CUDA_PROFILER_H
#include <cuda.h>
#ifdef __cplusplus
extern "C" {
#endif
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#ifdef __cplusplus
}
#endif
#endif
