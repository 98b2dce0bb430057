/* Vector types. */
#ifndef WARPSMITH_VECTOR_TYPES_H
#define WARPSMITH_VECTOR_TYPES_H
/* Programs ask whether it was read. */
#define __VECTOR_TYPES_H__
#include <host_defines.h>
#ifdef __cplusplus
#include <warpsmith/vector.h>
#else
#define WARPSMITH_VECTORS(name, type, align2, align4) \
    typedef struct name##1 { type x; } name##1; \
    typedef struct __attribute__((aligned(align2))) name##2 { type x, y; } name##2; \
    typedef struct name##3 { type x, y, z; } name##3; \
    typedef struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; } name##4;
WARPSMITH_VECTORS(char, signed char, 2, 4)
WARPSMITH_VECTORS(uchar, unsigned char, 2, 4)
WARPSMITH_VECTORS(short, short, 4, 8)
WARPSMITH_VECTORS(ushort, unsigned short, 4, 8)
WARPSMITH_VECTORS(int, int, 8, 16)
WARPSMITH_VECTORS(uint, unsigned, 8, 16)
WARPSMITH_VECTORS(long, long, 16, 16)
WARPSMITH_VECTORS(ulong, unsigned long, 16, 16)
WARPSMITH_VECTORS(longlong, long long, 16, 16)
WARPSMITH_VECTORS(ulonglong, unsigned long long, 16, 16)
WARPSMITH_VECTORS(float, float, 8, 16)
WARPSMITH_VECTORS(double, double, 16, 16)
#undef WARPSMITH_VECTORS
typedef struct dim3 {
    unsigned x, y, z;
} dim3;
#endif
#endif
