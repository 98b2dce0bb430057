// Macros of the C library that nvcc's units have without an include, since CUDA's runtime header includes what defines them.
#pragma once
#include <assert.h>
#include <limits.h>

#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define CLOCKS_PER_SEC ((clock_t)1000000)
