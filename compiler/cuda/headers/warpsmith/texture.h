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

// A function on textures: its parameters and their names, the instruction up to its types, the type of coordinates, the operands behind the texture,
// the inputs of the instruction. A sparse one also tells by a predicate whether all texels that it took lie in memory that is mapped.
#define __WARPSMITH_LIST(...) __VA_ARGS__
#define __WARPSMITH_FETCH(name, parameters, instruction, type, word, c, coordinate, operands, ...)                        \
    __WARPSMITH_DEVICE void __warpsmith_##name(word(&r)[4], cudaTextureObject_t texture, __WARPSMITH_LIST parameters) {   \
        asm volatile(instruction "." type "." coordinate " {%0, %1, %2, %3}, [%[texture], " operands ";"                  \
                     : "=" c(r[0]), "=" c(r[1]), "=" c(r[2]), "=" c(r[3])                                                 \
                     : [texture] "l"(texture), __VA_ARGS__);                                                              \
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
#define __WARPSMITH_FETCH_SPARSE(name, parameters, instruction, type, word, c, coordinate, operands, ...)                 \
    __WARPSMITH_DEVICE bool __warpsmith_##name(word(&r)[4], cudaTextureObject_t texture, __WARPSMITH_LIST parameters) {   \
        unsigned short resident;                                                                                          \
        asm volatile("{ .reg .pred %%resident; " instruction "." type "." coordinate                                      \
                     " {%0, %1, %2, %3}|%%resident, [%[texture], " operands "; selp.u16 %4, 1, 0, %%resident; }"           \
                     : "=" c(r[0]), "=" c(r[1]), "=" c(r[2]), "=" c(r[3]), "=h"(resident)                                 \
                     : [texture] "l"(texture), __VA_ARGS__);                                                              \
        return resident;                                                                                                  \
    }
#define __WARPSMITH_SPARSE(name, parameters, names, instruction, coordinate, operands, ...)                               \
    __WARPSMITH_TEXTURE(name, parameters, names, instruction, coordinate, operands, __VA_ARGS__)                          \
    __WARPSMITH_FETCH_SPARSE(name##_sparse, parameters, instruction, "f32", float, "f", coordinate, operands, __VA_ARGS__) \
    __WARPSMITH_FETCH_SPARSE(name##_sparse, parameters, instruction, "s32", int, "r", coordinate, operands, __VA_ARGS__)  \
    __WARPSMITH_FETCH_SPARSE(name##_sparse, parameters, instruction, "u32", unsigned, "r", coordinate, operands, __VA_ARGS__) \
    template <class T> __WARPSMITH_DEVICE T name(cudaTextureObject_t texture, __WARPSMITH_LIST parameters, bool *resident) { \
        typename __warpsmith_texel<T>::word r[4];                                                                         \
        *resident = __warpsmith_##name##_sparse(r, texture, __WARPSMITH_LIST names);                                      \
        return __warpsmith_texel<T>::make(r[0], r[1], r[2], r[3]);                                                        \
    }                                                                                                                     \
    template <class T> __WARPSMITH_DEVICE void name(T *result, cudaTextureObject_t texture, __WARPSMITH_LIST parameters, bool *resident) { \
        *result = name<T>(texture, __WARPSMITH_LIST names, resident);                                                     \
    }

__WARPSMITH_TEXTURE(tex1Dfetch, (int x), (x), "tex.1d.v4", "s32", "{%[x]}]", [x] "r"(x))
__WARPSMITH_TEXTURE(tex1D, (float x), (x), "tex.1d.v4", "f32", "{%[x]}]", [x] "f"(x))
__WARPSMITH_TEXTURE(tex1DLod, (float x, float level), (x, level), "tex.level.1d.v4", "f32", "{%[x]}], %[level]", [x] "f"(x), [level] "f"(level))
__WARPSMITH_TEXTURE(tex1DGrad, (float x, float dx, float dy), (x, dx, dy), "tex.grad.1d.v4", "f32", "{%[x]}], {%[dx]}, {%[dy]}", [x] "f"(x), [dx] "f"(dx), [dy] "f"(dy))
__WARPSMITH_SPARSE(tex2D, (float x, float y), (x, y), "tex.2d.v4", "f32", "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
__WARPSMITH_SPARSE(tex2DLod, (float x, float y, float level), (x, y, level), "tex.level.2d.v4", "f32", "{%[x], %[y]}], %[level]", [x] "f"(x), [y] "f"(y), [level] "f"(level))
__WARPSMITH_SPARSE(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "tex.grad.2d.v4", "f32", "{%[x], %[y]}], {%[dxx], %[dxy]}, {%[dyx], %[dyy]}", [x] "f"(x), [y] "f"(y), [dxx] "f"(dx.x), [dxy] "f"(dx.y), [dyx] "f"(dy.x), [dyy] "f"(dy.y))
__WARPSMITH_SPARSE(tex3D, (float x, float y, float z), (x, y, z), "tex.3d.v4", "f32", "{%[x], %[y], %[z], %[z]}]", [x] "f"(x), [y] "f"(y), [z] "f"(z))
__WARPSMITH_SPARSE(tex3DLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.3d.v4", "f32", "{%[x], %[y], %[z], %[z]}], %[level]", [x] "f"(x), [y] "f"(y), [z] "f"(z), [level] "f"(level))
__WARPSMITH_SPARSE(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "tex.grad.3d.v4", "f32", "{%[x], %[y], %[z], %[z]}], {%[dxx], %[dxy], %[dxz], %[dxz]}, {%[dyx], %[dyy], %[dyz], %[dyz]}", [x] "f"(x), [y] "f"(y), [z] "f"(z), [dxx] "f"(dx.x), [dxy] "f"(dx.y), [dxz] "f"(dx.z), [dyx] "f"(dy.x), [dyy] "f"(dy.y), [dyz] "f"(dy.z))
__WARPSMITH_TEXTURE(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d.v4", "f32", "{%[layer], %[x]}]", [x] "f"(x), [layer] "r"(layer))
__WARPSMITH_TEXTURE(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level), "tex.level.a1d.v4", "f32", "{%[layer], %[x]}], %[level]", [x] "f"(x), [layer] "r"(layer), [level] "f"(level))
__WARPSMITH_TEXTURE(tex1DLayeredGrad, (float x, int layer, float dx, float dy), (x, layer, dx, dy), "tex.grad.a1d.v4", "f32", "{%[layer], %[x]}], {%[dx]}, {%[dy]}", [x] "f"(x), [layer] "r"(layer), [dx] "f"(dx), [dy] "f"(dy))
__WARPSMITH_SPARSE(tex2DLayered, (float x, float y, int layer), (x, y, layer), "tex.a2d.v4", "f32", "{%[layer], %[x], %[y], %[y]}]", [x] "f"(x), [y] "f"(y), [layer] "r"(layer))
__WARPSMITH_SPARSE(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level), "tex.level.a2d.v4", "f32", "{%[layer], %[x], %[y], %[y]}], %[level]", [x] "f"(x), [y] "f"(y), [layer] "r"(layer), [level] "f"(level))
__WARPSMITH_SPARSE(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy), "tex.grad.a2d.v4", "f32", "{%[layer], %[x], %[y], %[y]}], {%[dxx], %[dxy]}, {%[dyx], %[dyy]}", [x] "f"(x), [y] "f"(y), [layer] "r"(layer), [dxx] "f"(dx.x), [dxy] "f"(dx.y), [dyx] "f"(dy.x), [dyy] "f"(dy.y))
__WARPSMITH_TEXTURE(texCubemap, (float x, float y, float z), (x, y, z), "tex.cube.v4", "f32", "{%[x], %[y], %[z], %[z]}]", [x] "f"(x), [y] "f"(y), [z] "f"(z))
__WARPSMITH_TEXTURE(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level), "tex.level.cube.v4", "f32", "{%[x], %[y], %[z], %[z]}], %[level]", [x] "f"(x), [y] "f"(y), [z] "f"(z), [level] "f"(level))
__WARPSMITH_TEXTURE(texCubemapGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "tex.grad.cube.v4", "f32", "{%[x], %[y], %[z], %[z]}], {%[dxx], %[dxy], %[dxz], %[dxz]}, {%[dyx], %[dyy], %[dyz], %[dyz]}", [x] "f"(x), [y] "f"(y), [z] "f"(z), [dxx] "f"(dx.x), [dxy] "f"(dx.y), [dxz] "f"(dx.z), [dyx] "f"(dy.x), [dyy] "f"(dy.y), [dyz] "f"(dy.z))
__WARPSMITH_TEXTURE(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer), "tex.acube.v4", "f32", "{%[layer], %[x], %[y], %[z]}]", [x] "f"(x), [y] "f"(y), [z] "f"(z), [layer] "r"(layer))
__WARPSMITH_TEXTURE(texCubemapLayeredLod, (float x, float y, float z, int layer, float level), (x, y, z, layer, level), "tex.level.acube.v4", "f32", "{%[layer], %[x], %[y], %[z]}], %[level]", [x] "f"(x), [y] "f"(y), [z] "f"(z), [layer] "r"(layer), [level] "f"(level))
__WARPSMITH_TEXTURE(texCubemapLayeredGrad, (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, dx, dy), "tex.grad.acube.v4", "f32", "{%[layer], %[x], %[y], %[z]}], {%[dxx], %[dxy], %[dxz], %[dxz]}, {%[dyx], %[dyy], %[dyz], %[dyz]}", [x] "f"(x), [y] "f"(y), [z] "f"(z), [layer] "r"(layer), [dxx] "f"(dx.x), [dxy] "f"(dx.y), [dxz] "f"(dx.z), [dyx] "f"(dy.x), [dyy] "f"(dy.y), [dyz] "f"(dy.z))
__WARPSMITH_SPARSE(__warpsmith_gather0, (float x, float y), (x, y), "tld4.r.2d.v4", "f32", "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
__WARPSMITH_SPARSE(__warpsmith_gather1, (float x, float y), (x, y), "tld4.g.2d.v4", "f32", "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
__WARPSMITH_SPARSE(__warpsmith_gather2, (float x, float y), (x, y), "tld4.b.2d.v4", "f32", "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
__WARPSMITH_SPARSE(__warpsmith_gather3, (float x, float y), (x, y), "tld4.a.2d.v4", "f32", "{%[x], %[y]}]", [x] "f"(x), [y] "f"(y))
// One component of the four texels around a place.
template <class T> __WARPSMITH_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
    switch (component) {
    case 0: return __warpsmith_gather0<T>(texture, x, y);
    case 1: return __warpsmith_gather1<T>(texture, x, y);
    case 2: return __warpsmith_gather2<T>(texture, x, y);
    default: return __warpsmith_gather3<T>(texture, x, y);
    }
}
template <class T> __WARPSMITH_DEVICE void tex2Dgather(T *result, cudaTextureObject_t texture, float x, float y, int component = 0) {
    *result = tex2Dgather<T>(texture, x, y, component);
}
template <class T> __WARPSMITH_DEVICE T tex2Dgather(cudaTextureObject_t texture, float x, float y, bool *resident, int component = 0) {
    switch (component) {
    case 0: return __warpsmith_gather0<T>(texture, x, y, resident);
    case 1: return __warpsmith_gather1<T>(texture, x, y, resident);
    case 2: return __warpsmith_gather2<T>(texture, x, y, resident);
    default: return __warpsmith_gather3<T>(texture, x, y, resident);
    }
}
template <class T> __WARPSMITH_DEVICE void tex2Dgather(T *result, cudaTextureObject_t texture, float x, float y, bool *resident, int component = 0) {
    *result = tex2Dgather<T>(texture, x, y, resident, component);
}
#undef __WARPSMITH_SPARSE
#undef __WARPSMITH_FETCH_SPARSE
#undef __WARPSMITH_TEXTURE
#undef __WARPSMITH_FETCH

// Surfaces: the words of one element each; x counts bytes. A load and a store for each size of a word and number of words, in each of the three ways
// to treat a place outside.
template <int bytes> struct __warpsmith_bytes {};
#define __WARPSMITH_ACCESS(name, parameters, geometry, place, inputs, bytes, vector, bits, word, count, results, outputs, values)        \
    __WARPSMITH_DEVICE void __warpsmith_load_##name(__warpsmith_bytes<bytes>, word(&r)[count], cudaSurfaceObject_t surface,               \
                                                    __WARPSMITH_LIST parameters, cudaSurfaceBoundaryMode mode) {                         \
        if (mode == cudaBoundaryModeTrap)                                                                                                \
            asm volatile("suld.b." geometry vector bits ".trap {" results "}, [%[surface], " place "];"                                   \
                         : __WARPSMITH_LIST outputs : [surface] "l"(surface), __WARPSMITH_LIST inputs : "memory");                        \
        else if (mode == cudaBoundaryModeClamp)                                                                                          \
            asm volatile("suld.b." geometry vector bits ".clamp {" results "}, [%[surface], " place "];"                                  \
                         : __WARPSMITH_LIST outputs : [surface] "l"(surface), __WARPSMITH_LIST inputs : "memory");                        \
        else                                                                                                                             \
            asm volatile("suld.b." geometry vector bits ".zero {" results "}, [%[surface], " place "];"                                   \
                         : __WARPSMITH_LIST outputs : [surface] "l"(surface), __WARPSMITH_LIST inputs : "memory");                        \
    }                                                                                                                                    \
    __WARPSMITH_DEVICE void __warpsmith_store_##name(__warpsmith_bytes<bytes>, const word(&r)[count], cudaSurfaceObject_t surface,        \
                                                     __WARPSMITH_LIST parameters, cudaSurfaceBoundaryMode mode) {                        \
        if (mode == cudaBoundaryModeTrap)                                                                                                \
            asm volatile("sust.b." geometry vector bits ".trap [%[surface], " place "], {" results "};"                                   \
                         : : __WARPSMITH_LIST values, [surface] "l"(surface), __WARPSMITH_LIST inputs : "memory");                        \
        else if (mode == cudaBoundaryModeClamp)                                                                                          \
            asm volatile("sust.b." geometry vector bits ".clamp [%[surface], " place "], {" results "};"                                  \
                         : : __WARPSMITH_LIST values, [surface] "l"(surface), __WARPSMITH_LIST inputs : "memory");                        \
        else                                                                                                                             \
            asm volatile("sust.b." geometry vector bits ".zero [%[surface], " place "], {" results "};"                                   \
                         : : __WARPSMITH_LIST values, [surface] "l"(surface), __WARPSMITH_LIST inputs : "memory");                        \
    }
#define __WARPSMITH_ACCESS_OF(name, parameters, geometry, place, inputs, bytes, bits, word, c)                                            \
    __WARPSMITH_ACCESS(name, parameters, geometry, place, inputs, bytes, "", bits, word, 1, "%0", ("=" c(r[0])), (c(r[0])))               \
    __WARPSMITH_ACCESS(name, parameters, geometry, place, inputs, bytes, ".v2", bits, word, 2, "%0, %1",                                 \
                       ("=" c(r[0]), "=" c(r[1])), (c(r[0]), c(r[1])))
#define __WARPSMITH_ACCESS_OF_4(name, parameters, geometry, place, inputs, bytes, bits, word, c)                                          \
    __WARPSMITH_ACCESS_OF(name, parameters, geometry, place, inputs, bytes, bits, word, c)                                               \
    __WARPSMITH_ACCESS(name, parameters, geometry, place, inputs, bytes, ".v4", bits, word, 4, "%0, %1, %2, %3",                         \
                       ("=" c(r[0]), "=" c(r[1]), "=" c(r[2]), "=" c(r[3])), (c(r[0]), c(r[1]), c(r[2]), c(r[3])))
#define __WARPSMITH_SURFACE(name, parameters, names, geometry, place, ...)                                                                \
    __WARPSMITH_ACCESS_OF_4(name, parameters, geometry, place, (__VA_ARGS__), 1, ".b8", unsigned short, "h")                             \
    __WARPSMITH_ACCESS_OF_4(name, parameters, geometry, place, (__VA_ARGS__), 2, ".b16", unsigned short, "h")                            \
    __WARPSMITH_ACCESS_OF_4(name, parameters, geometry, place, (__VA_ARGS__), 4, ".b32", unsigned, "r")                                  \
    __WARPSMITH_ACCESS_OF(name, parameters, geometry, place, (__VA_ARGS__), 8, ".b64", unsigned long long, "l")                          \
    template <class T> __WARPSMITH_DEVICE T name##read(cudaSurfaceObject_t surface, __WARPSMITH_LIST parameters,                          \
                                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                            \
        constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;                                          \
        typename __warpsmith_surface_word<bytes>::type r[count];                                                                         \
        __warpsmith_load_##name(__warpsmith_bytes<bytes>(), r, surface, __WARPSMITH_LIST names, mode);                                   \
        T result;                                                                                                                        \
        for (int i = 0; i < count; ++i) memcpy((char *)&result + i * bytes, &r[i], bytes);                                               \
        return result;                                                                                                                   \
    }                                                                                                                                    \
    template <class T> __WARPSMITH_DEVICE void name##read(T *result, cudaSurfaceObject_t surface, __WARPSMITH_LIST parameters,            \
                                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                         \
        *result = name##read<T>(surface, __WARPSMITH_LIST names, mode);                                                                  \
    }                                                                                                                                    \
    template <class T> __WARPSMITH_DEVICE void name##write(T value, cudaSurfaceObject_t surface, __WARPSMITH_LIST parameters,             \
                                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                        \
        constexpr int bytes = __warpsmith_texel<T>::bytes, count = __warpsmith_texel<T>::count;                                          \
        typename __warpsmith_surface_word<bytes>::type r[count] = {};                                                                    \
        for (int i = 0; i < count; ++i) memcpy(&r[i], (const char *)&value + i * bytes, bytes);                                          \
        __warpsmith_store_##name(__warpsmith_bytes<bytes>(), r, surface, __WARPSMITH_LIST names, mode);                                  \
    }
template <int bytes> struct __warpsmith_surface_word { typedef unsigned short type; };
template <> struct __warpsmith_surface_word<4> { typedef unsigned type; };
template <> struct __warpsmith_surface_word<8> { typedef unsigned long long type; };

__WARPSMITH_SURFACE(surf1D, (int x), (x), "1d", "{%[x]}", [x] "r"(x))
__WARPSMITH_SURFACE(surf2D, (int x, int y), (x, y), "2d", "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
__WARPSMITH_SURFACE(surf3D, (int x, int y, int z), (x, y, z), "3d", "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y), [z] "r"(z))
__WARPSMITH_SURFACE(surf1DLayered, (int x, int layer), (x, layer), "a1d", "{%[layer], %[x]}", [x] "r"(x), [layer] "r"(layer))
__WARPSMITH_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer), "a2d", "{%[layer], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [layer] "r"(layer))
// The faces of a cube are layers, as nvcc has them.
__WARPSMITH_SURFACE(surfCubemap, (int x, int y, int face), (x, y, face), "a2d", "{%[face], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [face] "r"(face))
__WARPSMITH_SURFACE(surfCubemapLayered, (int x, int y, int face), (x, y, face), "a2d", "{%[face], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [face] "r"(face))

#undef __WARPSMITH_SURFACE
#undef __WARPSMITH_ACCESS_OF_4
#undef __WARPSMITH_ACCESS_OF
#undef __WARPSMITH_ACCESS
#undef __WARPSMITH_LIST
