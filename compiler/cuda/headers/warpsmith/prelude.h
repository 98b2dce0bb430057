// CUDA as it is without any header: included before the first line of every unit, as NVRTC does it. Warpsmith's own declarations; the CUDA C++
// programming guide and the CUDA math API say what they mean.
#pragma once

#include <warpsmith/types.h>
#include <warpsmith/vector.h>
#include <warpsmith/integer.h>
#include <warpsmith/convert.h>
#include <warpsmith/math.h>
#include <warpsmith/memory.h>
#include <warpsmith/warp.h>
#include <warpsmith/atomic.h>
#include <warpsmith/gnu_atomic.h>
#include <warpsmith/simd.h>
#include <warpsmith/simd_extremes.h>
#include <warpsmith/texture.h>
#include <warpsmith/runtime.h>
