// Vector types, their makers, and the variables that say where a thread is.
#pragma once

// name1 to name4 with the alignment of name2 and name4.
#define __WARPSMITH_VECTORS(name, type, align2, align4)                                                          \
    struct name##1 {                                                                                             \
        type x;                                                                                                  \
    };                                                                                                           \
    struct __attribute__((aligned(align2))) name##2 {                                                            \
        type x, y;                                                                                               \
    };                                                                                                           \
    struct name##3 {                                                                                             \
        type x, y, z;                                                                                            \
    };                                                                                                           \
    struct __attribute__((aligned(align4))) name##4 {                                                            \
        type x, y, z, w;                                                                                         \
    };                                                                                                           \
    __WARPSMITH_BOTH name##1 make_##name##1(type x) { return name##1{x}; }                                       \
    __WARPSMITH_BOTH name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                            \
    __WARPSMITH_BOTH name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }                 \
    __WARPSMITH_BOTH name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }

__WARPSMITH_VECTORS(char, signed char, 2, 4)
__WARPSMITH_VECTORS(uchar, unsigned char, 2, 4)
__WARPSMITH_VECTORS(short, short, 4, 8)
__WARPSMITH_VECTORS(ushort, unsigned short, 4, 8)
__WARPSMITH_VECTORS(int, int, 8, 16)
__WARPSMITH_VECTORS(uint, unsigned, 8, 16)
__WARPSMITH_VECTORS(long, long, 16, 16)
__WARPSMITH_VECTORS(ulong, unsigned long, 16, 16)
__WARPSMITH_VECTORS(longlong, long long, 16, 16)
__WARPSMITH_VECTORS(ulonglong, unsigned long long, 16, 16)
__WARPSMITH_VECTORS(float, float, 8, 16)
__WARPSMITH_VECTORS(double, double, 16, 16)

#undef __WARPSMITH_VECTORS

// Four 64-bit elements with an alignment by name.
#define __WARPSMITH_WIDE(name, type, bytes)                                                                                  \
    struct __attribute__((aligned(bytes))) name##4_##bytes##a {                                                              \
        type x, y, z, w;                                                                                                     \
    };                                                                                                                       \
    __WARPSMITH_BOTH name##4_##bytes##a make_##name##4_##bytes##a(type x, type y, type z, type w) {                          \
        return name##4_##bytes##a{x, y, z, w};                                                                               \
    }

__WARPSMITH_WIDE(long, long, 16)
__WARPSMITH_WIDE(long, long, 32)
__WARPSMITH_WIDE(ulong, unsigned long, 16)
__WARPSMITH_WIDE(ulong, unsigned long, 32)
__WARPSMITH_WIDE(longlong, long long, 16)
__WARPSMITH_WIDE(longlong, long long, 32)
__WARPSMITH_WIDE(ulonglong, unsigned long long, 16)
__WARPSMITH_WIDE(ulonglong, unsigned long long, 32)
__WARPSMITH_WIDE(double, double, 16)
__WARPSMITH_WIDE(double, double, 32)

#undef __WARPSMITH_WIDE

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

// These have no storage: the compiler reads special registers.
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
