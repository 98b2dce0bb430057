// Reductions over groups.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {
template <class T = void> struct plus {
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T = void> struct less {
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void> struct greater {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void> struct bit_and {
    __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T = void> struct bit_or {
    __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T = void> struct bit_xor {
    __device__ T operator()(T a, T b) const { return a ^ b; }
};

// Each thread of a tile has the result.
template <unsigned count, class Parent, class T, class F>
__device__ __forceinline__ T reduce(const thread_block_tile<count, Parent> &group, T value, F f) {
    if constexpr (count > 32) {
        // Of each warp, then of all warps in their order.
        T part = reduce(thread_block_tile<32>(), value, f), result = group.shfl(part, 0);
        for (int rank = 32; rank < (int)count; rank += 32) result = f(result, group.shfl(part, rank));
        return result;
    } else {
        for (unsigned distance = count / 2; distance > 0; distance /= 2) value = f(value, group.shfl_xor(value, distance));
        return value;
    }
}
template <class T, class F> __device__ __forceinline__ T reduce(const coalesced_group &group, T value, F f) {
    T result = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); ++rank) result = f(result, group.shfl(value, rank));
    return result;
}
}
