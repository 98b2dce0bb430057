// `printf` is declared before any header. Of the rest, what signatures of host functions name.
#pragma once
#include <stddef.h>
#include <warpsmith/library_macros.h>
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
__host__ FILE *fopen(const char *name, const char *mode);
__host__ FILE *freopen(const char *name, const char *mode, FILE *stream);
__host__ int fclose(FILE *stream);
__host__ size_t fread(void *to, size_t size, size_t count, FILE *stream);
__host__ size_t fwrite(const void *from, size_t size, size_t count, FILE *stream);
__host__ int fseek(FILE *stream, long offset, int origin);
__host__ long ftell(FILE *stream);
__host__ void rewind(FILE *stream);
__host__ int feof(FILE *stream);
__host__ int ferror(FILE *stream);
__host__ char *fgets(char *to, int size, FILE *stream);
__host__ int fputs(const char *text, FILE *stream);
__host__ int fgetc(FILE *stream);
__host__ int fputc(int character, FILE *stream);
__host__ int getc(FILE *stream);
__host__ int putc(int character, FILE *stream);
__host__ int getchar();
__host__ int putchar(int character);
__host__ int fscanf(FILE *stream, const char *format, ...);
__host__ int sscanf(const char *text, const char *format, ...);
__host__ int scanf(const char *format, ...);
__host__ void perror(const char *text);
__host__ int remove(const char *name);
__host__ int rename(const char *from, const char *to);
}
