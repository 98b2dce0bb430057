// `printf` is declared before any header. Of the rest, what signatures of host functions name.
#pragma once
#include <stddef.h>
typedef struct __warpsmith_file FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
extern "C" {
__host__ int fprintf(FILE *stream, const char *format, ...);
__host__ int snprintf(char *text, size_t size, const char *format, ...);
__host__ int sprintf(char *text, const char *format, ...);
__host__ int puts(const char *text);
__host__ int fflush(FILE *stream);
}
#define EOF (-1)
