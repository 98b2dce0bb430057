// `malloc`, `free` and `abs` are declared before any header.
#pragma once
#include <stddef.h>
#include <warpsmith/library_macros.h>
typedef struct {
    int quot;
    int rem;
} div_t;
typedef struct {
    long quot;
    long rem;
} ldiv_t;
extern "C" {
__host__ div_t div(int number, int divisor);
__host__ ldiv_t ldiv(long number, long divisor);
__host__ __attribute__((noreturn)) void exit(int status);
__host__ int rand();
__host__ void srand(unsigned seed);
__host__ int atoi(const char *text);
__host__ double atof(const char *text);
__host__ long atol(const char *text);
__host__ long long atoll(const char *text);
__host__ long strtol(const char *text, char **end, int base);
__host__ long long strtoll(const char *text, char **end, int base);
__host__ unsigned long strtoul(const char *text, char **end, int base);
__host__ unsigned long long strtoull(const char *text, char **end, int base);
__host__ float strtof(const char *text, char **end);
__host__ double strtod(const char *text, char **end);
__host__ void *calloc(size_t count, size_t size);
__host__ void *realloc(void *old, size_t size);
__host__ __attribute__((noreturn)) void abort();
__host__ int atexit(void (*function)());
__host__ char *getenv(const char *name);
__host__ int system(const char *command);
__host__ void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
__host__ void *bsearch(const void *key, const void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
}
