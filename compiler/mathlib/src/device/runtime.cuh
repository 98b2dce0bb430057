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

// The C++ runtime's functions on arrays: elements one by one, the last first where they end. With padding there is a word in front that counts them.
extern "C" __device__ void *malloc(unsigned long size);
extern "C" __device__ void free(void *memory);
static __device__ void *from_heap(unsigned long size) { return malloc(size); }
static __device__ void to_heap(void *memory) { free(memory); }
#define __ARRAY_COUNT(array) (((unsigned long *)(array))[-1])
FUNCTION void __nv_cxa_vec_ctor(void *array, unsigned long count, unsigned long size, void (*construct)(void *), void (*)(void *)) {
    if (construct)
        for (unsigned long i = 0; i < count; i++) construct((char *)array + i * size);
}
FUNCTION void __nv_cxa_vec_cctor(void *to, void *from, unsigned long count, unsigned long size, void (*construct)(void *, void *), void (*)(void *)) {
    if (construct)
        for (unsigned long i = 0; i < count; i++) construct((char *)to + i * size, (char *)from + i * size);
}
FUNCTION void __nv_cxa_vec_dtor(void *array, unsigned long count, unsigned long size, void (*destroy)(void *)) {
    if (destroy)
        while (count > 0) destroy((char *)array + --count * size);
}
FUNCTION void *__nv_cxa_vec_new2(unsigned long count, unsigned long size, unsigned long padding, void (*construct)(void *), void (*destroy)(void *), void *(*allocate)(unsigned long), void (*)(void *)) {
    char *start = (char *)allocate(count * size + padding);
    if (!start) return nullptr;
    char *array = start + padding;
    if (padding) __ARRAY_COUNT(array) = count;
    __nv_cxa_vec_ctor(array, count, size, construct, destroy);
    return array;
}
FUNCTION void *__nv_cxa_vec_new3(unsigned long count, unsigned long size, unsigned long padding, void (*construct)(void *), void (*destroy)(void *), void *(*allocate)(unsigned long), void (*)(void *, unsigned long)) {
    return __nv_cxa_vec_new2(count, size, padding, construct, destroy, allocate, nullptr);
}
FUNCTION void *__nv_cxa_vec_new(unsigned long count, unsigned long size, unsigned long padding, void (*construct)(void *), void (*destroy)(void *)) {
    return __nv_cxa_vec_new2(count, size, padding, construct, destroy, from_heap, nullptr);
}
FUNCTION void __nv_cxa_vec_delete2(void *array, unsigned long size, unsigned long padding, void (*destroy)(void *), void (*release)(void *)) {
    if (!array) return;
    if (padding) __nv_cxa_vec_dtor(array, __ARRAY_COUNT(array), size, destroy);
    release((char *)array - padding);
}
FUNCTION void __nv_cxa_vec_delete3(void *array, unsigned long size, unsigned long padding, void (*destroy)(void *), void (*release)(void *, unsigned long)) {
    if (!array) return;
    unsigned long bytes = padding;
    if (padding) {
        bytes += __ARRAY_COUNT(array) * size;
        __nv_cxa_vec_dtor(array, __ARRAY_COUNT(array), size, destroy);
    }
    release((char *)array - padding, bytes);
}
FUNCTION void __nv_cxa_vec_delete(void *array, unsigned long size, unsigned long padding, void (*destroy)(void *)) {
    __nv_cxa_vec_delete2(array, size, padding, destroy, to_heap);
}

// Copies to shared memory that go on behind the program: of the bytes only the first are read, the rest is zero.
#define __COPY_ASYNCHRONOUSLY(bytes) \
    unsigned long from_global = __nv_cvta_generic_to_global_impl(from); \
    unsigned to_shared = (unsigned)__nv_cvta_generic_to_shared_impl(to); \
    asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes ", %2;" : : "r"(to_shared), "l"(from_global), "r"(read) : "memory");
FUNCTION void __nv_memcpy_async_shared_global_4_impl(void *to, const void *from, unsigned read) { __COPY_ASYNCHRONOUSLY(4) }
FUNCTION void __nv_memcpy_async_shared_global_8_impl(void *to, const void *from, unsigned read) { __COPY_ASYNCHRONOUSLY(8) }
FUNCTION void __nv_memcpy_async_shared_global_16_impl(void *to, const void *from, unsigned read) { __COPY_ASYNCHRONOUSLY(16) }
