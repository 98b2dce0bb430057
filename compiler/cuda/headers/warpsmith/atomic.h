// Atomic functions: of the device; `_block` and `_system` say for whom else they are atomic.
#pragma once

__WARPSMITH_DEVICE int atomicAdd(int *address, int value) { return __iAtomicAdd(address, value); }
__WARPSMITH_DEVICE unsigned atomicAdd(unsigned *address, unsigned value) { return __uAtomicAdd(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicAdd(unsigned long long *address, unsigned long long value) { return __ullAtomicAdd(address, value); }
__WARPSMITH_DEVICE float atomicAdd(float *address, float value) { return __fAtomicAdd(address, value); }
__WARPSMITH_DEVICE double atomicAdd(double *address, double value) { return __dAtomicAdd(address, value); }
__WARPSMITH_DEVICE int atomicExch(int *address, int value) { return __iAtomicExch(address, value); }
__WARPSMITH_DEVICE unsigned atomicExch(unsigned *address, unsigned value) { return __uAtomicExch(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicExch(unsigned long long *address, unsigned long long value) { return __ullAtomicExch(address, value); }
__WARPSMITH_DEVICE float atomicExch(float *address, float value) { return __fAtomicExch(address, value); }
__WARPSMITH_DEVICE int atomicMin(int *address, int value) { return __iAtomicMin(address, value); }
__WARPSMITH_DEVICE unsigned atomicMin(unsigned *address, unsigned value) { return __uAtomicMin(address, value); }
__WARPSMITH_DEVICE long long atomicMin(long long *address, long long value) { return __illAtomicMin(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicMin(unsigned long long *address, unsigned long long value) { return __ullAtomicMin(address, value); }
__WARPSMITH_DEVICE int atomicMax(int *address, int value) { return __iAtomicMax(address, value); }
__WARPSMITH_DEVICE unsigned atomicMax(unsigned *address, unsigned value) { return __uAtomicMax(address, value); }
__WARPSMITH_DEVICE long long atomicMax(long long *address, long long value) { return __illAtomicMax(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicMax(unsigned long long *address, unsigned long long value) { return __ullAtomicMax(address, value); }
__WARPSMITH_DEVICE unsigned atomicInc(unsigned *address, unsigned value) { return __uAtomicInc(address, value); }
__WARPSMITH_DEVICE unsigned atomicDec(unsigned *address, unsigned value) { return __uAtomicDec(address, value); }
__WARPSMITH_DEVICE int atomicAnd(int *address, int value) { return __iAtomicAnd(address, value); }
__WARPSMITH_DEVICE unsigned atomicAnd(unsigned *address, unsigned value) { return __uAtomicAnd(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicAnd(unsigned long long *address, unsigned long long value) { return __ullAtomicAnd(address, value); }
__WARPSMITH_DEVICE int atomicOr(int *address, int value) { return __iAtomicOr(address, value); }
__WARPSMITH_DEVICE unsigned atomicOr(unsigned *address, unsigned value) { return __uAtomicOr(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicOr(unsigned long long *address, unsigned long long value) { return __ullAtomicOr(address, value); }
__WARPSMITH_DEVICE int atomicXor(int *address, int value) { return __iAtomicXor(address, value); }
__WARPSMITH_DEVICE unsigned atomicXor(unsigned *address, unsigned value) { return __uAtomicXor(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicXor(unsigned long long *address, unsigned long long value) { return __ullAtomicXor(address, value); }
__WARPSMITH_DEVICE int atomicSub(int *address, int value) { return __iAtomicAdd(address, (int)(0u - (unsigned)value)); }
__WARPSMITH_DEVICE unsigned atomicSub(unsigned *address, unsigned value) { return __uAtomicAdd(address, 0u - value); }
__WARPSMITH_DEVICE int atomicCAS(int *address, int expected, int desired) { return __iAtomicCAS(address, expected, desired); }
__WARPSMITH_DEVICE unsigned atomicCAS(unsigned *address, unsigned expected, unsigned desired) { return __uAtomicCAS(address, expected, desired); }
__WARPSMITH_DEVICE unsigned long long atomicCAS(unsigned long long *address, unsigned long long expected, unsigned long long desired) { return __ullAtomicCAS(address, expected, desired); }
__WARPSMITH_DEVICE unsigned short atomicCAS(unsigned short *address, unsigned short expected, unsigned short desired) { return __usAtomicCAS(address, expected, desired); }

__WARPSMITH_DEVICE int atomicAdd_block(int *address, int value) { return __iAtomicAdd_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicAdd_block(unsigned *address, unsigned value) { return __uAtomicAdd_block(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicAdd_block(unsigned long long *address, unsigned long long value) { return __ullAtomicAdd_block(address, value); }
__WARPSMITH_DEVICE float atomicAdd_block(float *address, float value) { return __fAtomicAdd_block(address, value); }
__WARPSMITH_DEVICE double atomicAdd_block(double *address, double value) { return __dAtomicAdd_block(address, value); }
__WARPSMITH_DEVICE int atomicExch_block(int *address, int value) { return __iAtomicExch_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicExch_block(unsigned *address, unsigned value) { return __uAtomicExch_block(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicExch_block(unsigned long long *address, unsigned long long value) { return __ullAtomicExch_block(address, value); }
__WARPSMITH_DEVICE float atomicExch_block(float *address, float value) { return __fAtomicExch_block(address, value); }
__WARPSMITH_DEVICE int atomicMin_block(int *address, int value) { return __iAtomicMin_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicMin_block(unsigned *address, unsigned value) { return __uAtomicMin_block(address, value); }
__WARPSMITH_DEVICE long long atomicMin_block(long long *address, long long value) { return __illAtomicMin_block(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicMin_block(unsigned long long *address, unsigned long long value) { return __ullAtomicMin_block(address, value); }
__WARPSMITH_DEVICE int atomicMax_block(int *address, int value) { return __iAtomicMax_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicMax_block(unsigned *address, unsigned value) { return __uAtomicMax_block(address, value); }
__WARPSMITH_DEVICE long long atomicMax_block(long long *address, long long value) { return __illAtomicMax_block(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicMax_block(unsigned long long *address, unsigned long long value) { return __ullAtomicMax_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicInc_block(unsigned *address, unsigned value) { return __uAtomicInc_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicDec_block(unsigned *address, unsigned value) { return __uAtomicDec_block(address, value); }
__WARPSMITH_DEVICE int atomicAnd_block(int *address, int value) { return __iAtomicAnd_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicAnd_block(unsigned *address, unsigned value) { return __uAtomicAnd_block(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicAnd_block(unsigned long long *address, unsigned long long value) { return __ullAtomicAnd_block(address, value); }
__WARPSMITH_DEVICE int atomicOr_block(int *address, int value) { return __iAtomicOr_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicOr_block(unsigned *address, unsigned value) { return __uAtomicOr_block(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicOr_block(unsigned long long *address, unsigned long long value) { return __ullAtomicOr_block(address, value); }
__WARPSMITH_DEVICE int atomicXor_block(int *address, int value) { return __iAtomicXor_block(address, value); }
__WARPSMITH_DEVICE unsigned atomicXor_block(unsigned *address, unsigned value) { return __uAtomicXor_block(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicXor_block(unsigned long long *address, unsigned long long value) { return __ullAtomicXor_block(address, value); }
__WARPSMITH_DEVICE int atomicSub_block(int *address, int value) { return __iAtomicAdd_block(address, (int)(0u - (unsigned)value)); }
__WARPSMITH_DEVICE unsigned atomicSub_block(unsigned *address, unsigned value) { return __uAtomicAdd_block(address, 0u - value); }
__WARPSMITH_DEVICE int atomicCAS_block(int *address, int expected, int desired) { return __iAtomicCAS_block(address, expected, desired); }
__WARPSMITH_DEVICE unsigned atomicCAS_block(unsigned *address, unsigned expected, unsigned desired) { return __uAtomicCAS_block(address, expected, desired); }
__WARPSMITH_DEVICE unsigned long long atomicCAS_block(unsigned long long *address, unsigned long long expected, unsigned long long desired) { return __ullAtomicCAS_block(address, expected, desired); }
__WARPSMITH_DEVICE unsigned short atomicCAS_block(unsigned short *address, unsigned short expected, unsigned short desired) { return __usAtomicCAS_block(address, expected, desired); }

__WARPSMITH_DEVICE int atomicAdd_system(int *address, int value) { return __iAtomicAdd_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicAdd_system(unsigned *address, unsigned value) { return __uAtomicAdd_system(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicAdd_system(unsigned long long *address, unsigned long long value) { return __ullAtomicAdd_system(address, value); }
__WARPSMITH_DEVICE float atomicAdd_system(float *address, float value) { return __fAtomicAdd_system(address, value); }
__WARPSMITH_DEVICE double atomicAdd_system(double *address, double value) { return __dAtomicAdd_system(address, value); }
__WARPSMITH_DEVICE int atomicExch_system(int *address, int value) { return __iAtomicExch_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicExch_system(unsigned *address, unsigned value) { return __uAtomicExch_system(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicExch_system(unsigned long long *address, unsigned long long value) { return __ullAtomicExch_system(address, value); }
__WARPSMITH_DEVICE float atomicExch_system(float *address, float value) { return __fAtomicExch_system(address, value); }
__WARPSMITH_DEVICE int atomicMin_system(int *address, int value) { return __iAtomicMin_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicMin_system(unsigned *address, unsigned value) { return __uAtomicMin_system(address, value); }
__WARPSMITH_DEVICE long long atomicMin_system(long long *address, long long value) { return __illAtomicMin_system(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicMin_system(unsigned long long *address, unsigned long long value) { return __ullAtomicMin_system(address, value); }
__WARPSMITH_DEVICE int atomicMax_system(int *address, int value) { return __iAtomicMax_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicMax_system(unsigned *address, unsigned value) { return __uAtomicMax_system(address, value); }
__WARPSMITH_DEVICE long long atomicMax_system(long long *address, long long value) { return __illAtomicMax_system(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicMax_system(unsigned long long *address, unsigned long long value) { return __ullAtomicMax_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicInc_system(unsigned *address, unsigned value) { return __uAtomicInc_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicDec_system(unsigned *address, unsigned value) { return __uAtomicDec_system(address, value); }
__WARPSMITH_DEVICE int atomicAnd_system(int *address, int value) { return __iAtomicAnd_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicAnd_system(unsigned *address, unsigned value) { return __uAtomicAnd_system(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicAnd_system(unsigned long long *address, unsigned long long value) { return __ullAtomicAnd_system(address, value); }
__WARPSMITH_DEVICE int atomicOr_system(int *address, int value) { return __iAtomicOr_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicOr_system(unsigned *address, unsigned value) { return __uAtomicOr_system(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicOr_system(unsigned long long *address, unsigned long long value) { return __ullAtomicOr_system(address, value); }
__WARPSMITH_DEVICE int atomicXor_system(int *address, int value) { return __iAtomicXor_system(address, value); }
__WARPSMITH_DEVICE unsigned atomicXor_system(unsigned *address, unsigned value) { return __uAtomicXor_system(address, value); }
__WARPSMITH_DEVICE unsigned long long atomicXor_system(unsigned long long *address, unsigned long long value) { return __ullAtomicXor_system(address, value); }
__WARPSMITH_DEVICE int atomicSub_system(int *address, int value) { return __iAtomicAdd_system(address, (int)(0u - (unsigned)value)); }
__WARPSMITH_DEVICE unsigned atomicSub_system(unsigned *address, unsigned value) { return __uAtomicAdd_system(address, 0u - value); }
__WARPSMITH_DEVICE int atomicCAS_system(int *address, int expected, int desired) { return __iAtomicCAS_system(address, expected, desired); }
__WARPSMITH_DEVICE unsigned atomicCAS_system(unsigned *address, unsigned expected, unsigned desired) { return __uAtomicCAS_system(address, expected, desired); }
__WARPSMITH_DEVICE unsigned long long atomicCAS_system(unsigned long long *address, unsigned long long expected, unsigned long long desired) { return __ullAtomicCAS_system(address, expected, desired); }
__WARPSMITH_DEVICE unsigned short atomicCAS_system(unsigned short *address, unsigned short expected, unsigned short desired) { return __usAtomicCAS_system(address, expected, desired); }

#if __CUDA_ARCH__ >= 900
// Each element by itself is atomic.
__WARPSMITH_DEVICE float2 atomicAdd(float2 *address, float2 value) {
    float2 old;
    asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
                 : "=f"(old.x), "=f"(old.y)
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y)
                 : "memory");
    return old;
}
__WARPSMITH_DEVICE float4 atomicAdd(float4 *address, float4 value) {
    float4 old;
    asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
                 : "memory");
    return old;
}
#endif
