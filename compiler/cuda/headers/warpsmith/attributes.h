// What functions of these headers are declared with. Beside a toolkit's headers, too.
#pragma once

#define __WARPSMITH_DEVICE static __device__ __forceinline__
#define __WARPSMITH_BOTH static __host__ __device__ __forceinline__
