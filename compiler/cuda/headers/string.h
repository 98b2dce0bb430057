// The functions on memory and strings are declared before any header.
#pragma once
#include <stddef.h>
extern "C" {
__host__ char *strncpy(char *to, const char *from, size_t size);
__host__ char *strcat(char *to, const char *from);
__host__ char *strncat(char *to, const char *from, size_t size);
__host__ char *strchr(const char *text, int character);
__host__ char *strrchr(const char *text, int character);
__host__ char *strstr(const char *text, const char *part);
__host__ char *strtok(char *text, const char *separators);
__host__ char *strdup(const char *text);
__host__ char *strerror(int error);
__host__ void *memchr(const void *text, int character, size_t size);
}
