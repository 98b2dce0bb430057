// What nvcc's units have of the C and C++ libraries without an include, since CUDA's runtime header includes it. Read last, and only by units that are wrong
// without it: all others have none of these names.
#pragma once
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

using std::nullptr_t;
typedef long ssize_t;
typedef __builtin_va_list va_list;

namespace std {
class exception {
public:
    __host__ exception() noexcept {}
    __host__ virtual ~exception();
    __host__ virtual const char *what() const noexcept;
};
class bad_alloc : public exception {
public:
    __host__ const char *what() const noexcept override;
};
typedef void (*new_handler)();
__host__ new_handler set_new_handler(new_handler handler) noexcept;
template <class T> struct char_traits;
template <class T> class reference_wrapper;
}
