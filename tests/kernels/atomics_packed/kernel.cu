// Atomic additions of halves in pairs and of vectors of singles, exchanges of 128 bits.
#include <cuda_fp16.h>
extern "C" __global__ void packed(__half2 *halves, float4 *vector, ulonglong2 *wide, unsigned long long *seen) {
    atomicAdd(halves, __floats2half2_rn(1.0f, (float)threadIdx.x));
    atomicAdd(vector, make_float4(1.0f, 2.0f, (float)threadIdx.x, -0.5f));
    unsigned long long low, high;
    asm volatile("{.reg .b128 v, old;\n\tmov.b128 v, {%3, %4};\n\tatom.global.exch.b128 old, [%2], v;\n\tmov.b128 {%0, %1}, old;}"
                 : "=l"(low), "=l"(high)
                 : "l"(wide), "l"(threadIdx.x + 1ull), "l"(~(threadIdx.x + 1ull))
                 : "memory");
    // No exchange is torn: the halves that come back belong together.
    if (high != ~low) atomicAdd(seen, 1000ull);
    atomicAdd(seen, low);
}
extern "C" __global__ void finish(const ulonglong2 *wide, unsigned long long *seen) { *seen += wide->x; }
