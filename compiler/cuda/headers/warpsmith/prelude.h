// CUDA as it is without any header: included before the first line of every unit, as nvcc includes cuda_runtime.h. Warpsmith's own declarations; the CUDA C++
// programming guide and the CUDA math API say what they mean. Behind this come the headers of functions: those that declare a name that the unit has, as
// names.tbl says.
#pragma once

#include <warpsmith/types.h>
#include <warpsmith/vector.h>
// In units of NVRTC these names are the program's until it includes the header.
#ifdef __WARPSMITH_NVRTC__
#include <assert.h>
#else
#include <warpsmith/macros.h>
#include <warpsmith/library_macros.h>
#endif
#include <warpsmith/runtime.h>
