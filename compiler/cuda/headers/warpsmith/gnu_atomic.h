// GNU's atomic builtins `__atomic_*` and `__sync_*` on the device's own: of 4 and 8 bytes directly, of 1 and 2 bytes through the word
// around them. An order other than relaxed, which need not be a constant, is a fence on both sides, and all are atomic for the whole system: never weaker than
// what was asked for.
#pragma once

template <unsigned long size> struct __warpsmith_bits;
template <> struct __warpsmith_bits<1> { using type = unsigned char; };
template <> struct __warpsmith_bits<2> { using type = unsigned short; };
template <> struct __warpsmith_bits<4> { using type = unsigned; };
template <> struct __warpsmith_bits<8> { using type = unsigned long long; };
template <class T> using __warpsmith_bits_of = typename __warpsmith_bits<sizeof(T)>::type;
template <class T> struct __warpsmith_plain { using type = T; };
template <class T> struct __warpsmith_plain<volatile T> { using type = T; };
template <class T> struct __warpsmith_plain<const T> { using type = T; };
template <class T> struct __warpsmith_plain<const volatile T> { using type = T; };
template <class T> using __warpsmith_plain_of = typename __warpsmith_plain<T>::type;

// The scopes of nvcc's enumeration: thread, block, cluster, device, system.
#define __WARPSMITH_SYSTEM 4

template <class B> __device__ inline B __warpsmith_swap_if(B *p, B expected, B desired, int scope) {
    if constexpr (sizeof(B) >= 4) return scope == __WARPSMITH_SYSTEM ? atomicCAS_system(p, expected, desired) : atomicCAS(p, expected, desired);
    else {
        unsigned long long at = (unsigned long long)p;
        unsigned *word = (unsigned *)(at & ~3ull);
        unsigned shift = (unsigned)(at & 3) * 8, mask = (sizeof(B) == 1 ? 0xffu : 0xffffu) << shift;
        unsigned seen = *(volatile unsigned *)word;
        for (;;) {
            B now = (B)((seen & mask) >> shift);
            if (now != expected) return now;
            unsigned found = __warpsmith_swap_if<unsigned>(word, seen, (seen & ~mask) | ((unsigned)desired << shift), scope);
            if (found == seen) return expected;
            seen = found;
        }
    }
}
__device__ inline void __warpsmith_fence(int order, int scope) {
    if (order == __ATOMIC_RELAXED) return;
    if (scope == __WARPSMITH_SYSTEM) __threadfence_system();
    else __threadfence();
}
template <class T, class F> __device__ inline T __warpsmith_update(T *p, int order, int scope, F change) {
    using B = __warpsmith_bits_of<T>;
    __warpsmith_fence(order, scope);
    B *at = (B *)p, seen = *(volatile B *)at;
    for (;;) {
        B found = __warpsmith_swap_if<B>(at, seen, __builtin_bit_cast(B, change(__builtin_bit_cast(T, seen))), scope);
        if (found == seen) break;
        seen = found;
    }
    __warpsmith_fence(order, scope);
    return __builtin_bit_cast(T, seen);
}

template <class T> __device__ inline __warpsmith_plain_of<T> __warpsmith_atomic_load(T *p, int order, int scope = __WARPSMITH_SYSTEM) {
    using B = __warpsmith_bits_of<T>;
    __warpsmith_fence(order, scope);
    B seen = *(volatile B *)p;
    __warpsmith_fence(order, scope);
    return __builtin_bit_cast(__warpsmith_plain_of<T>, seen);
}
template <class T, class V> __device__ inline void __warpsmith_atomic_store(T *p, V value, int order, int scope = __WARPSMITH_SYSTEM) {
    using P = __warpsmith_plain_of<T>;
    __warpsmith_fence(order, scope);
    *(volatile __warpsmith_bits_of<T> *)p = __builtin_bit_cast(__warpsmith_bits_of<T>, (P)value);
    __warpsmith_fence(order, scope);
}
template <class T, class V> __device__ inline __warpsmith_plain_of<T> __warpsmith_atomic_exchange(T *p, V value, int order, int scope = __WARPSMITH_SYSTEM) {
    using P = __warpsmith_plain_of<T>;
    P wanted = (P)value;
    return __warpsmith_update((P *)p, order, scope, [wanted](P) { return wanted; });
}
template <class T, class V> __device__ inline bool __warpsmith_atomic_compare_exchange(T *p, __warpsmith_plain_of<T> *expected, V desired, bool, int success, int failure, int scope = __WARPSMITH_SYSTEM) {
    using P = __warpsmith_plain_of<T>;
    using B = __warpsmith_bits_of<T>;
    __warpsmith_fence(success | failure, scope);
    B wanted = __builtin_bit_cast(B, *expected);
    B found = __warpsmith_swap_if<B>((B *)p, wanted, __builtin_bit_cast(B, (P)desired), scope);
    __warpsmith_fence(success | failure, scope);
    if (found == wanted) return true;
    *expected = __builtin_bit_cast(P, found);
    return false;
}

template <class T> __device__ inline __warpsmith_plain_of<T> __atomic_load_n(T *p, int order) { return __warpsmith_atomic_load(p, order); }
template <class T, class V> __device__ inline void __atomic_store_n(T *p, V value, int order) { __warpsmith_atomic_store(p, value, order); }
template <class T, class V> __device__ inline __warpsmith_plain_of<T> __atomic_exchange_n(T *p, V value, int order) { return __warpsmith_atomic_exchange(p, value, order); }
template <class T, class V> __device__ inline bool __atomic_compare_exchange_n(T *p, __warpsmith_plain_of<T> *expected, V desired, bool weak, int success, int failure) { return __warpsmith_atomic_compare_exchange(p, expected, desired, weak, success, failure); }
template <class T> __device__ inline void __atomic_load(T *p, __warpsmith_plain_of<T> *result, int order) { *result = __atomic_load_n(p, order); }
template <class T> __device__ inline void __atomic_store(T *p, __warpsmith_plain_of<T> *value, int order) { __atomic_store_n(p, *value, order); }
template <class T> __device__ inline void __atomic_exchange(T *p, __warpsmith_plain_of<T> *value, __warpsmith_plain_of<T> *result, int order) { *result = __atomic_exchange_n(p, *value, order); }
template <class T> __device__ inline bool __atomic_compare_exchange(T *p, __warpsmith_plain_of<T> *expected, __warpsmith_plain_of<T> *desired, bool weak, int success, int failure) { return __atomic_compare_exchange_n(p, expected, *desired, weak, success, failure); }
__device__ inline void __atomic_thread_fence(int order) { __warpsmith_fence(order, __WARPSMITH_SYSTEM); }
__device__ inline void __atomic_signal_fence(int) {}
template <class T> __device__ inline bool __atomic_test_and_set(T *p, int order) { return __atomic_exchange_n((unsigned char *)p, 1, order) != 0; }
template <class T> __device__ inline void __atomic_clear(T *p, int order) { __atomic_store_n((unsigned char *)p, 0, order); }

// Operators count in bytes on pointers, as GNU's do.
#define __WARPSMITH_GNU_ATOMIC(name, expression) \
    template <class T, class V> __device__ inline __warpsmith_plain_of<T> __atomic_fetch_##name(T *p, V value, int order) { \
        using P = __warpsmith_plain_of<T>; using B = __warpsmith_bits_of<T>; \
        B b = (B)value; \
        return __builtin_bit_cast(P, __warpsmith_update((B *)p, order, __WARPSMITH_SYSTEM, [b](B a) { return (B)(expression); })); \
    } \
    template <class T, class V> __device__ inline __warpsmith_plain_of<T> __atomic_##name##_fetch(T *p, V value, int order) { \
        using P = __warpsmith_plain_of<T>; using B = __warpsmith_bits_of<T>; \
        B b = (B)value, a = __builtin_bit_cast(B, __atomic_fetch_##name(p, value, order)); \
        return __builtin_bit_cast(P, (B)(expression)); \
    } \
    template <class T, class V> __device__ inline __warpsmith_plain_of<T> __sync_fetch_and_##name(T *p, V value) { return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST); } \
    template <class T, class V> __device__ inline __warpsmith_plain_of<T> __sync_##name##_and_fetch(T *p, V value) { return __atomic_##name##_fetch(p, value, __ATOMIC_SEQ_CST); }
__WARPSMITH_GNU_ATOMIC(add, a + b)
__WARPSMITH_GNU_ATOMIC(sub, a - b)
__WARPSMITH_GNU_ATOMIC(and, a & b)
__WARPSMITH_GNU_ATOMIC(or, a | b)
__WARPSMITH_GNU_ATOMIC(xor, a ^ b)
__WARPSMITH_GNU_ATOMIC(nand, ~(a & b))
#undef __WARPSMITH_GNU_ATOMIC

template <class T, class V, class W> __device__ inline bool __sync_bool_compare_and_swap(T *p, V expected, W desired) {
    __warpsmith_plain_of<T> seen = (__warpsmith_plain_of<T>)expected;
    return __atomic_compare_exchange_n(p, &seen, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
template <class T, class V, class W> __device__ inline __warpsmith_plain_of<T> __sync_val_compare_and_swap(T *p, V expected, W desired) {
    __warpsmith_plain_of<T> seen = (__warpsmith_plain_of<T>)expected;
    __atomic_compare_exchange_n(p, &seen, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return seen;
}
template <class T, class V> __device__ inline __warpsmith_plain_of<T> __sync_lock_test_and_set(T *p, V value) { return __atomic_exchange_n(p, value, __ATOMIC_ACQUIRE); }
template <class T> __device__ inline void __sync_lock_release(T *p) { __atomic_store_n(p, 0, __ATOMIC_RELEASE); }
__device__ inline void __sync_synchronize() { __threadfence_system(); }
