// Common definitions.
#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef struct {
    long long __most_aligned_integer;
    double __most_aligned_number __attribute__((aligned(16)));
} max_align_t;
#ifndef NULL
#define NULL 0L
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
