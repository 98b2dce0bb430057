// Lists in braces as objects [support.initlist]. The compiler makes them: a pointer and a count. Part of the prelude, as it is in NVRTC, for lists make it
// without its name, too: `for (int x : {1, 2})`, `auto list = {1, 2}`.
#pragma once

namespace std {
template <class T> class initializer_list {
  public:
    typedef T value_type;
    typedef const T &reference;
    typedef const T &const_reference;
    typedef __SIZE_TYPE__ size_type;
    typedef const T *iterator;
    typedef const T *const_iterator;

    __host__ __device__ constexpr initializer_list() noexcept : __start(nullptr), __count(0) {}
    __host__ __device__ constexpr __SIZE_TYPE__ size() const noexcept { return __count; }
    __host__ __device__ constexpr const T *begin() const noexcept { return __start; }
    __host__ __device__ constexpr const T *end() const noexcept { return __start + __count; }

  private:
    const T *__start;
    __SIZE_TYPE__ __count;
    __host__ __device__ constexpr initializer_list(const T *start, __SIZE_TYPE__ count) noexcept : __start(start), __count(count) {}
};
}
