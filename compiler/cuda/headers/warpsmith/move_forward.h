// std::move and std::forward as NVRTC has them without any header, unless it is called with --builtin-move-forward=false. They name nothing of
// <type_traits>, which is the program's to declare.
#pragma once

#ifdef __NV_BUILTIN_MOVE_FORWARD
namespace std {
template <class T> __host__ __device__ constexpr __remove_reference_t(T) &&move(T &&x) noexcept { return static_cast<__remove_reference_t(T) &&>(x); }
template <class T> __host__ __device__ constexpr T &&forward(__remove_reference_t(T) &x) noexcept { return static_cast<T &&>(x); }
template <class T> __host__ __device__ constexpr T &&forward(__remove_reference_t(T) &&x) noexcept { return static_cast<T &&>(x); }
}
#endif
