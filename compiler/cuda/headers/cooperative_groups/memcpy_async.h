// Copies made by all threads of a group, complete when `wait` returns.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {
template <class G, class T> __device__ __forceinline__ void memcpy_async(const G &group, T *to, const T *from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <class G> __device__ __forceinline__ void wait(const G &group) { group.sync(); }
template <unsigned stages, class G> __device__ __forceinline__ void wait_prior(const G &group) { group.sync(); }
}
