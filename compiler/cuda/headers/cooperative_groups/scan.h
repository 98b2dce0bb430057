// Prefix sums over tiles.
#pragma once
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {
template <unsigned count, class Parent, class T, class F>
__device__ __forceinline__ T inclusive_scan(const thread_block_tile<count, Parent> &group, T value, F f) {
    for (unsigned distance = 1; distance < count; distance *= 2) {
        T before = group.shfl_up(value, distance);
        if (group.thread_rank() >= distance) value = f(before, value);
    }
    return value;
}
template <unsigned count, class Parent, class T> __device__ __forceinline__ T inclusive_scan(const thread_block_tile<count, Parent> &group, T value) {
    return inclusive_scan(group, value, plus<T>());
}
template <unsigned count, class Parent, class T> __device__ __forceinline__ T exclusive_scan(const thread_block_tile<count, Parent> &group, T value) {
    T sum = group.shfl_up(inclusive_scan(group, value, plus<T>()), 1);
    return group.thread_rank() == 0 ? T() : sum;
}
}
