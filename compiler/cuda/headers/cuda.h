// What kernels take of the driver API: its version, and the types of their arguments.
#pragma once
#define CUDA_VERSION 13000

typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUtensorMap_st {
    alignas(64) unsigned long long opaque[16];
} CUtensorMap;
