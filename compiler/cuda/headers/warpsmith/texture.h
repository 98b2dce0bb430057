// Textures and surfaces as objects.
#pragma once

#include <warpsmith/attributes.h>

// A toolkit's headers declare the types.
#ifdef __CUDACC_RTC__
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
#endif

// How a type is made of the four words of an instruction: their type, the bytes of an element, how many there are.
template <class T> struct __warpsmith_texel;
#define __WARPSMITH_TEXEL(type, element, word_type, number, value)                                                        \
    template <> struct __warpsmith_texel<type> {                                                                          \
        typedef word_type word;                                                                                           \
        static constexpr int bytes = sizeof(element), count = number;                                                     \
        __device__ static type make(word x, word y, word z, word w) { return value; }                                     \
    };
#define __WARPSMITH_TEXELS(element, name, word)                                                                           \
    __WARPSMITH_TEXEL(element, element, word, 1, (element)x)                                                              \
    __WARPSMITH_TEXEL(name##1, element, word, 1, (name##1{(element)x}))                                                   \
    __WARPSMITH_TEXEL(name##2, element, word, 2, (name##2{(element)x, (element)y}))                                       \
    __WARPSMITH_TEXEL(name##4, element, word, 4, (name##4{(element)x, (element)y, (element)z, (element)w}))
__WARPSMITH_TEXELS(signed char, char, int)
__WARPSMITH_TEXELS(unsigned char, uchar, unsigned)
__WARPSMITH_TEXELS(short, short, int)
__WARPSMITH_TEXELS(unsigned short, ushort, unsigned)
__WARPSMITH_TEXELS(int, int, int)
__WARPSMITH_TEXELS(unsigned, uint, unsigned)
__WARPSMITH_TEXELS(float, float, float)
__WARPSMITH_TEXEL(char, char, int, 1, (char)x)
__WARPSMITH_TEXEL(long long, long long, long long, 1, x)
__WARPSMITH_TEXEL(unsigned long long, unsigned long long, unsigned long long, 1, x)
__WARPSMITH_TEXEL(longlong2, long long, long long, 2, (longlong2{x, y}))
__WARPSMITH_TEXEL(ulonglong2, unsigned long long, unsigned long long, 2, (ulonglong2{x, y}))
#undef __WARPSMITH_TEXEL
#undef __WARPSMITH_TEXELS

// A function on textures: its parameters and their names, the instruction up to its types, the type of coordinates, the operands after the
// destination, the inputs of the instruction.
#define __WARPSMITH_LIST(...) __VA_ARGS__
#define __WARPSMITH_FETCH(name, parameters, instruction, type, word, c, coordinate, operands, ...)                        \
    __WARPSMITH_DEVICE void __warpsmith_##name(word(&r)[4], cudaTextureObject_t texture, __WARPSMITH_LIST parameters) {   \
        asm volatile(instruction "." type "." coordinate " {%0, %1, %2, %3}, " operands ";"                               \
                     : "=" c(r[0]), "=" c(r[1]), "=" c(r[2]), "=" c(r[3])                                                 \
                     : "l"(texture), __VA_ARGS__);                                                                        \
    }
#define __WARPSMITH_TEXTURE(name, parameters, names, instruction, coordinate, operands, ...)                              \
    __WARPSMITH_FETCH(name, parameters, instruction, "f32", float, "f", coordinate, operands, __VA_ARGS__)                \
    __WARPSMITH_FETCH(name, parameters, instruction, "s32", int, "r", coordinate, operands, __VA_ARGS__)                  \
    __WARPSMITH_FETCH(name, parameters, instruction, "u32", unsigned, "r", coordinate, operands, __VA_ARGS__)             \
    template <class T> __WARPSMITH_DEVICE T name(cudaTextureObject_t texture, __WARPSMITH_LIST parameters) {              \
        typename __warpsmith_texel<T>::word r[4];                                                                         \
        __warpsmith_##name(r, texture, __WARPSMITH_LIST names);                                                           \
        return __warpsmith_texel<T>::make(r[0], r[1], r[2], r[3]);                                                        \
    }                                                                                                                     \
    template <class T> __WARPSMITH_DEVICE void name(T *result, cudaTextureObject_t texture, __WARPSMITH_LIST parameters) { \
        *result = name<T>(texture, __WARPSMITH_LIST names);                                                               \
    }

__WARPSMITH_TEXTURE(tex1Dfetch, (int x), (x), "tex.1d.v4", "s32", "[%4, {%5}]", "r"(x))
__WARPSMITH_TEXTURE(tex1D, (float x), (x), "tex.1d.v4", "f32", "[%4, {%5}]", "f"(x))
__WARPSMITH_TEXTURE(tex1DLod, (float x, float level), (x, level), "tex.level.1d.v4", "f32", "[%4, {%5}], %6", "f"(x), "f"(level))
__WARPSMITH_TEXTURE(tex2D, (float x, float y), (x, y), "tex.2d.v4", "f32", "[%4, {%5, %6}]", "f"(x), "f"(y))
__WARPSMITH_TEXTURE(tex2DLod, (float x, float y, float level), (x, y, level), "tex.level.2d.v4", "f32", "[%4, {%5, %6}], %7", "f"(x), "f"(y), "f"(level))
__WARPSMITH_TEXTURE(tex3D, (float x, float y, float z), (x, y, z), "tex.3d.v4", "f32", "[%4, {%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
__WARPSMITH_TEXTURE(tex3DLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.3d.v4", "f32", "[%4, {%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
__WARPSMITH_TEXTURE(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d.v4", "f32", "[%4, {%6, %5}]", "f"(x), "r"(layer))
__WARPSMITH_TEXTURE(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level), "tex.level.a1d.v4", "f32", "[%4, {%6, %5}], %7", "f"(x), "r"(layer), "f"(level))
__WARPSMITH_TEXTURE(tex2DLayered, (float x, float y, int layer), (x, y, layer), "tex.a2d.v4", "f32", "[%4, {%7, %5, %6, %6}]", "f"(x), "f"(y), "r"(layer))
__WARPSMITH_TEXTURE(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level), "tex.level.a2d.v4", "f32", "[%4, {%7, %5, %6, %6}], %8", "f"(x), "f"(y), "r"(layer), "f"(level))
__WARPSMITH_TEXTURE(texCubemap, (float x, float y, float z), (x, y, z), "tex.cube.v4", "f32", "[%4, {%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
__WARPSMITH_TEXTURE(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.cube.v4", "f32", "[%4, {%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
__WARPSMITH_TEXTURE(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer), "tex.acube.v4", "f32", "[%4, {%8, %5, %6, %7}]", "f"(x), "f"(y), "f"(z), "r"(layer))
__WARPSMITH_TEXTURE(texCubemapLayeredLod, (float x, float y, float z, int layer, float level), (x, y, z, layer, level), "tex.level.acube.v4", "f32", "[%4, {%8, %5, %6, %7}], %9", "f"(x), "f"(y), "f"(z), "r"(layer), "f"(level))
__WARPSMITH_TEXTURE(tex1DGrad, (float x, float dx, float dy), (x, dx, dy), "tex.grad.1d.v4", "f32", "[%4, {%5}], {%6}, {%7}", "f"(x), "f"(dx), "f"(dy))
__WARPSMITH_TEXTURE(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "tex.grad.2d.v4", "f32", "[%4, {%5, %6}], {%7, %8}, {%9, %10}", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
__WARPSMITH_TEXTURE(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "tex.grad.3d.v4", "f32", "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}", "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
__WARPSMITH_TEXTURE(__warpsmith_gather0, (float x, float y), (x, y), "tld4.r.2d.v4", "f32", "[%4, {%5, %6}]", "f"(x), "f"(y))
__WARPSMITH_TEXTURE(__warpsmith_gather1, (float x, float y), (x, y), "tld4.g.2d.v4", "f32", "[%4, {%5, %6}]", "f"(x), "f"(y))
__WARPSMITH_TEXTURE(__warpsmith_gather2, (float x, float y), (x, y), "tld4.b.2d.v4", "f32", "[%4, {%5, %6}]", "f"(x), "f"(y))
__WARPSMITH_TEXTURE(__warpsmith_gather3, (float x, float y), (x, y), "tld4.a.2d.v4", "f32", "[%4, {%5, %6}]", "f"(x), "f"(y))
// One component of the four texels around a place.
template <class T> __WARPSMITH_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
    switch (component) {
    case 0: return __warpsmith_gather0<T>(texture, x, y);
    case 1: return __warpsmith_gather1<T>(texture, x, y);
    case 2: return __warpsmith_gather2<T>(texture, x, y);
    default: return __warpsmith_gather3<T>(texture, x, y);
    }
}
#undef __WARPSMITH_TEXTURE
#undef __WARPSMITH_FETCH

// Surfaces: the words of one element each; x counts bytes.
#define __WARPSMITH_MODES(statement)                                  \
    if (mode == cudaBoundaryModeTrap) statement("trap");              \
    else if (mode == cudaBoundaryModeClamp) statement("clamp");       \
    else statement("zero");

template <class T> __WARPSMITH_DEVICE T surf1Dread(cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    T result;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.b8." how " {%0}, [%1, {%2}];" : "=h"(r[0]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.v2.b8." how " {%0, %1}, [%2, {%3}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.v4.b8." how " {%0, %1, %2, %3}, [%4, {%5}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.b16." how " {%0}, [%1, {%2}];" : "=h"(r[0]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.v2.b16." how " {%0, %1}, [%2, {%3}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.v4.b16." how " {%0, %1, %2, %3}, [%4, {%5}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.b32." how " {%0}, [%1, {%2}];" : "=r"(r[0]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.v2.b32." how " {%0, %1}, [%2, {%3}];" : "=r"(r[0]), "=r"(r[1]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.v4.b32." how " {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.b64." how " {%0}, [%1, {%2}];" : "=l"(r[0]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.1d.v2.b64." how " {%0, %1}, [%2, {%3}];" : "=l"(r[0]), "=l"(r[1]) : "l"(surface), "r"(x) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    return result;
}
template <class T> __WARPSMITH_DEVICE void surf1Dread(T *result, cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    *result = surf1Dread<T>(surface, x, mode);
}
template <class T> __WARPSMITH_DEVICE void surf1Dwrite(T value, cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.b8." how " [%0, {%1}], {%2};" : : "l"(surface), "r"(x), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.v2.b8." how " [%0, {%1}], {%2, %3};" : : "l"(surface), "r"(x), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.v4.b8." how " [%0, {%1}], {%2, %3, %4, %5};" : : "l"(surface), "r"(x), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.b16." how " [%0, {%1}], {%2};" : : "l"(surface), "r"(x), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.v2.b16." how " [%0, {%1}], {%2, %3};" : : "l"(surface), "r"(x), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.v4.b16." how " [%0, {%1}], {%2, %3, %4, %5};" : : "l"(surface), "r"(x), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.b32." how " [%0, {%1}], {%2};" : : "l"(surface), "r"(x), "r"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.v2.b32." how " [%0, {%1}], {%2, %3};" : : "l"(surface), "r"(x), "r"(r[0]), "r"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.v4.b32." how " [%0, {%1}], {%2, %3, %4, %5};" : : "l"(surface), "r"(x), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.b64." how " [%0, {%1}], {%2};" : : "l"(surface), "r"(x), "l"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.1d.v2.b64." how " [%0, {%1}], {%2, %3};" : : "l"(surface), "r"(x), "l"(r[0]), "l"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
}

template <class T> __WARPSMITH_DEVICE T surf2Dread(cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    T result;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.b8." how " {%0}, [%1, {%2, %3}];" : "=h"(r[0]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.v2.b8." how " {%0, %1}, [%2, {%3, %4}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.v4.b8." how " {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.b16." how " {%0}, [%1, {%2, %3}];" : "=h"(r[0]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.v2.b16." how " {%0, %1}, [%2, {%3, %4}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.v4.b16." how " {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.b32." how " {%0}, [%1, {%2, %3}];" : "=r"(r[0]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.v2.b32." how " {%0, %1}, [%2, {%3, %4}];" : "=r"(r[0]), "=r"(r[1]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.v4.b32." how " {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.b64." how " {%0}, [%1, {%2, %3}];" : "=l"(r[0]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.2d.v2.b64." how " {%0, %1}, [%2, {%3, %4}];" : "=l"(r[0]), "=l"(r[1]) : "l"(surface), "r"(x), "r"(y) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    return result;
}
template <class T> __WARPSMITH_DEVICE void surf2Dread(T *result, cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    *result = surf2Dread<T>(surface, x, y, mode);
}
template <class T> __WARPSMITH_DEVICE void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.b8." how " [%0, {%1, %2}], {%3};" : : "l"(surface), "r"(x), "r"(y), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.v2.b8." how " [%0, {%1, %2}], {%3, %4};" : : "l"(surface), "r"(x), "r"(y), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.v4.b8." how " [%0, {%1, %2}], {%3, %4, %5, %6};" : : "l"(surface), "r"(x), "r"(y), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.b16." how " [%0, {%1, %2}], {%3};" : : "l"(surface), "r"(x), "r"(y), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.v2.b16." how " [%0, {%1, %2}], {%3, %4};" : : "l"(surface), "r"(x), "r"(y), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.v4.b16." how " [%0, {%1, %2}], {%3, %4, %5, %6};" : : "l"(surface), "r"(x), "r"(y), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.b32." how " [%0, {%1, %2}], {%3};" : : "l"(surface), "r"(x), "r"(y), "r"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.v2.b32." how " [%0, {%1, %2}], {%3, %4};" : : "l"(surface), "r"(x), "r"(y), "r"(r[0]), "r"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.v4.b32." how " [%0, {%1, %2}], {%3, %4, %5, %6};" : : "l"(surface), "r"(x), "r"(y), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.b64." how " [%0, {%1, %2}], {%3};" : : "l"(surface), "r"(x), "r"(y), "l"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.2d.v2.b64." how " [%0, {%1, %2}], {%3, %4};" : : "l"(surface), "r"(x), "r"(y), "l"(r[0]), "l"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
}

template <class T> __WARPSMITH_DEVICE T surf3Dread(cudaSurfaceObject_t surface, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    T result;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.b8." how " {%0}, [%1, {%2, %3, %4, %4}];" : "=h"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.v2.b8." how " {%0, %1}, [%2, {%3, %4, %5, %5}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.v4.b8." how " {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.b16." how " {%0}, [%1, {%2, %3, %4, %4}];" : "=h"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.v2.b16." how " {%0, %1}, [%2, {%3, %4, %5, %5}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.v4.b16." how " {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.b32." how " {%0}, [%1, {%2, %3, %4, %4}];" : "=r"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.v2.b32." how " {%0, %1}, [%2, {%3, %4, %5, %5}];" : "=r"(r[0]), "=r"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.v4.b32." how " {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.b64." how " {%0}, [%1, {%2, %3, %4, %4}];" : "=l"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.3d.v2.b64." how " {%0, %1}, [%2, {%3, %4, %5, %5}];" : "=l"(r[0]), "=l"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(z) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    return result;
}
template <class T> __WARPSMITH_DEVICE void surf3Dread(T *result, cudaSurfaceObject_t surface, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    *result = surf3Dread<T>(surface, x, y, z, mode);
}
template <class T> __WARPSMITH_DEVICE void surf3Dwrite(T value, cudaSurfaceObject_t surface, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.b8." how " [%0, {%1, %2, %3, %3}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.v2.b8." how " [%0, {%1, %2, %3, %3}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.v4.b8." how " [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.b16." how " [%0, {%1, %2, %3, %3}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.v2.b16." how " [%0, {%1, %2, %3, %3}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.v4.b16." how " [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.b32." how " [%0, {%1, %2, %3, %3}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "r"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.v2.b32." how " [%0, {%1, %2, %3, %3}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "r"(r[0]), "r"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.v4.b32." how " [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.b64." how " [%0, {%1, %2, %3, %3}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "l"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.3d.v2.b64." how " [%0, {%1, %2, %3, %3}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(z), "l"(r[0]), "l"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
}

template <class T> __WARPSMITH_DEVICE T surf2DLayeredread(cudaSurfaceObject_t surface, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    T result;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.b8." how " {%0}, [%1, {%4, %2, %3, %3}];" : "=h"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.v2.b8." how " {%0, %1}, [%2, {%5, %3, %4, %4}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.v4.b8." how " {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 1, &r[i], 1);
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.b16." how " {%0}, [%1, {%4, %2, %3, %3}];" : "=h"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.v2.b16." how " {%0, %1}, [%2, {%5, %3, %4, %4}];" : "=h"(r[0]), "=h"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.v4.b16." how " {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];" : "=h"(r[0]), "=h"(r[1]), "=h"(r[2]), "=h"(r[3]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 2, &r[i], 2);
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.b32." how " {%0}, [%1, {%4, %2, %3, %3}];" : "=r"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.v2.b32." how " {%0, %1}, [%2, {%5, %3, %4, %4}];" : "=r"(r[0]), "=r"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.v4.b32." how " {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 4; ++i) memcpy((char *)&result + i * 4, &r[i], 4);
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.b64." how " {%0}, [%1, {%4, %2, %3, %3}];" : "=l"(r[0]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 1; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2];
#define __WARPSMITH_READ(how) asm volatile("suld.b.a2d.v2.b64." how " {%0, %1}, [%2, {%5, %3, %4, %4}];" : "=l"(r[0]), "=l"(r[1]) : "l"(surface), "r"(x), "r"(y), "r"(layer) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_READ)
#undef __WARPSMITH_READ
        for (int i = 0; i < 2; ++i) memcpy((char *)&result + i * 8, &r[i], 8);
    }
    return result;
}
template <class T> __WARPSMITH_DEVICE void surf2DLayeredread(T *result, cudaSurfaceObject_t surface, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    *result = surf2DLayeredread<T>(surface, x, y, layer, mode);
}
template <class T> __WARPSMITH_DEVICE void surf2DLayeredwrite(T value, cudaSurfaceObject_t surface, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
    constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;
    if constexpr (bytes == 1 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.b8." how " [%0, {%3, %1, %2, %2}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.v2.b8." how " [%0, {%3, %1, %2, %2}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 1 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 1, 1);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.v4.b8." how " [%0, {%3, %1, %2, %2}], {%4, %5, %6, %7};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 1) {
        unsigned short r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.b16." how " [%0, {%3, %1, %2, %2}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "h"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 2) {
        unsigned short r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.v2.b16." how " [%0, {%3, %1, %2, %2}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "h"(r[0]), "h"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 2 && count == 4) {
        unsigned short r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 2, 2);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.v4.b16." how " [%0, {%3, %1, %2, %2}], {%4, %5, %6, %7};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "h"(r[0]), "h"(r[1]), "h"(r[2]), "h"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 1) {
        unsigned r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.b32." how " [%0, {%3, %1, %2, %2}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "r"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 2) {
        unsigned r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.v2.b32." how " [%0, {%3, %1, %2, %2}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "r"(r[0]), "r"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 4 && count == 4) {
        unsigned r[4] = {};
        for (int i = 0; i < 4; ++i) memcpy(&r[i], (const char *)&value + i * 4, 4);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.v4.b32." how " [%0, {%3, %1, %2, %2}], {%4, %5, %6, %7};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 1) {
        unsigned long long r[1] = {};
        for (int i = 0; i < 1; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.b64." how " [%0, {%3, %1, %2, %2}], {%4};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "l"(r[0]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
    else if constexpr (bytes == 8 && count == 2) {
        unsigned long long r[2] = {};
        for (int i = 0; i < 2; ++i) memcpy(&r[i], (const char *)&value + i * 8, 8);
#define __WARPSMITH_WRITE(how) asm volatile("sust.b.a2d.v2.b64." how " [%0, {%3, %1, %2, %2}], {%4, %5};" : : "l"(surface), "r"(x), "r"(y), "r"(layer), "l"(r[0]), "l"(r[1]) : "memory")
        __WARPSMITH_MODES(__WARPSMITH_WRITE)
#undef __WARPSMITH_WRITE
    }
}

#undef __WARPSMITH_MODES
#undef __WARPSMITH_LIST
