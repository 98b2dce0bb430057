// Copies made by all threads of a group, complete when `wait` returns.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {
// Whole objects, and the bytes behind them.
template <class G, class T> __device__ __forceinline__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes) {
    size_t whole = bytes / sizeof(T);
    for (size_t i = group.thread_rank(); i < whole; i += group.size()) to[i] = from[i];
    for (size_t i = whole * sizeof(T) + group.thread_rank(); i < bytes; i += group.size()) ((char *)to)[i] = ((const char *)from)[i];
}
template <class G> __device__ __forceinline__ void memcpy_async(const G &group, void *to, const void *from, size_t bytes) {
    memcpy_async(group, (char *)to, (const char *)from, bytes);
}
// As many objects as both sides have.
template <class G, class T>
__device__ __forceinline__ void memcpy_async(const G &group, T *to, size_t room, const T *from, size_t count) {
    memcpy_async(group, to, from, (room < count ? room : count) * sizeof(T));
}
template <class G> __device__ __forceinline__ void wait(const G &group) { group.sync(); }
template <unsigned stages, class G> __device__ __forceinline__ void wait_prior(const G &group) { group.sync(); }
}
