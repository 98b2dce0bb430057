// What a toolkit's headers declare and is no mathematics: clocks, assertions; and functions of the C library that are others under another name.

#pragma once
#include "common.cuh"
#include "intrinsics.cuh"

extern "C" __device__ void __assertfail(const char *condition, const char *file, unsigned line, const char *function, unsigned long character_size);

FUNCTION void __nv_assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    __assertfail(condition, file, line, function, 1);
}
FUNCTION long __nv_clock() { return (long)(int)__nvvm_read_ptx_sreg_clock(); }
FUNCTION long long __nv_clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
FUNCTION long __nv_labs(long x) { return x < 0 ? -x : x; }
FUNCTION float __nv_fdivide(float x, float y) { return x / y; }
