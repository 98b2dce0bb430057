// `malloc`, `free` and `abs` are declared before any header.
#pragma once
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
extern "C" {
__host__ __attribute__((noreturn)) void exit(int status);
__host__ int rand();
__host__ void srand(unsigned seed);
__host__ int atoi(const char *text);
__host__ double atof(const char *text);
}
