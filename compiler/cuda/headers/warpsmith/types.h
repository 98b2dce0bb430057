// Names of fundamental types, attributes as macros, the functions of the C library that exist on the device.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
namespace std {
typedef ::size_t size_t;
typedef ::ptrdiff_t ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}

#include <stdint.h>
typedef __builtin_va_list va_list;

// What a host's <sys/types.h> adds, and kernels use.
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB

#include <warpsmith/attributes.h>

extern "C" {
__host__ __device__ int printf(const char *format, ...);
__host__ __device__ void *malloc(size_t size);
__host__ __device__ void free(void *pointer);
__host__ __device__ void *memcpy(void *to, const void *from, size_t size);
__host__ __device__ void *memmove(void *to, const void *from, size_t size);
__host__ __device__ void *memset(void *to, int value, size_t size);
__host__ __device__ int memcmp(const void *a, const void *b, size_t size);
__host__ __device__ __attribute__((noreturn)) void __assertfail(const char *condition, const char *file, unsigned line, const char *function,
                                                                size_t character_size);
}

// The C library's integer functions.
__WARPSMITH_BOTH int abs(int x) { return __builtin_abs(x); }
__WARPSMITH_BOTH long labs(long x) { return __builtin_labs(x); }
__WARPSMITH_BOTH long long llabs(long long x) { return __builtin_llabs(x); }
__WARPSMITH_BOTH long abs(long x) { return __builtin_labs(x); }
__WARPSMITH_BOTH long long abs(long long x) { return __builtin_llabs(x); }

__WARPSMITH_BOTH size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) ++n;
    return n;
}
__WARPSMITH_BOTH int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) ++a, ++b;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}
__WARPSMITH_BOTH int strncmp(const char *a, const char *b, size_t n) {
    for (; n; --n, ++a, ++b)
        if (*a != *b || !*a) return (int)(unsigned char)*a - (int)(unsigned char)*b;
    return 0;
}
__WARPSMITH_BOTH char *strcpy(char *to, const char *from) {
    char *out = to;
    while ((*out++ = *from++)) {
    }
    return to;
}

