// The C library's functions of strings and memory that the front end has no own code for. Their names are those of the library with `__nv_` before.

#pragma once
#include "common.cuh"

extern "C" __device__ void *malloc(unsigned long size);
extern "C" __device__ int vprintf(const char *format, const void *arguments);

FUNCTION unsigned long __nv_strlen(const char *text) {
    unsigned long length = 0;
    while (text[length]) ++length;
    return length;
}
FUNCTION unsigned long __nv_strnlen(const char *text, unsigned long most) {
    unsigned long length = 0;
    while (length < most && text[length]) ++length;
    return length;
}
FUNCTION char *__nv_stpcpy(char *to, const char *from) {
    while ((*to = *from++)) ++to;
    return to;
}
FUNCTION char *__nv_strcpy(char *to, const char *from) {
    __nv_stpcpy(to, from);
    return to;
}
FUNCTION char *__nv_stpncpy(char *to, const char *from, unsigned long count) {
    unsigned long length = __nv_strnlen(from, count);
    for (unsigned long i = 0; i < count; ++i) to[i] = i < length ? from[i] : 0;
    return to + length;
}
FUNCTION char *__nv_strncpy(char *to, const char *from, unsigned long count) {
    __nv_stpncpy(to, from, count);
    return to;
}
FUNCTION char *__nv_strcat(char *to, const char *from) {
    __nv_stpcpy(to + __nv_strlen(to), from);
    return to;
}
FUNCTION char *__nv_strncat(char *to, const char *from, unsigned long count) {
    char *end = to + __nv_strlen(to);
    unsigned long length = __nv_strnlen(from, count);
    for (unsigned long i = 0; i < length; ++i) end[i] = from[i];
    end[length] = 0;
    return to;
}
FUNCTION int __nv_strncmp(const char *a, const char *b, unsigned long count) {
    for (unsigned long i = 0; i < count; ++i) {
        unsigned char x = a[i], y = b[i];
        if (x != y || !x) return x - y;
    }
    return 0;
}
FUNCTION int __nv_strcmp(const char *a, const char *b) { return __nv_strncmp(a, b, ~0ul); }
FUNCTION char *__nv_strchr(const char *text, int character) {
    for (;; ++text) {
        if (*text == (char)character) return (char *)text;
        if (!*text) return nullptr;
    }
}
FUNCTION char *__nv_index(const char *text, int character) { return __nv_strchr(text, character); }
FUNCTION char *__nv_strrchr(const char *text, int character) {
    const char *last = nullptr;
    for (;; ++text) {
        if (*text == (char)character) last = text;
        if (!*text) return (char *)last;
    }
}
FUNCTION char *__nv_rindex(const char *text, int character) { return __nv_strrchr(text, character); }
FUNCTION char *__nv_strstr(const char *text, const char *part) {
    unsigned long length = __nv_strlen(part);
    for (;; ++text) {
        if (!__nv_strncmp(text, part, length)) return (char *)text;
        if (!*text) return nullptr;
    }
}
FUNCTION unsigned long __nv_strcspn(const char *text, const char *stops) {
    unsigned long length = 0;
    while (text[length] && !__nv_strchr(stops, text[length])) ++length;
    return length;
}
FUNCTION unsigned long __nv_strspn(const char *text, const char *wanted) {
    unsigned long length = 0;
    while (text[length] && __nv_strchr(wanted, text[length])) ++length;
    return length;
}
FUNCTION char *__nv_strpbrk(const char *text, const char *wanted) {
    text += __nv_strcspn(text, wanted);
    return *text ? (char *)text : nullptr;
}
FUNCTION void *__nv_memchr(const void *memory, int byte, unsigned long count) {
    return __builtin_memchr(memory, byte, count);
}
FUNCTION void *__nv_mempcpy(void *to, const void *from, unsigned long count) {
    return (char *)__builtin_memcpy(to, from, count) + count;
}
FUNCTION void __nv_bzero(void *memory, unsigned long count) { __builtin_memset(memory, 0, count); }
FUNCTION void __nv_bcopy(const void *from, void *to, unsigned long count) { __builtin_memmove(to, from, count); }
FUNCTION int __nv_bcmp(const void *a, const void *b, unsigned long count) { return __builtin_memcmp(a, b, count); }
FUNCTION void *__nv_calloc(unsigned long count, unsigned long size) {
    unsigned long bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
    void *memory = malloc(bytes);
    if (memory) __builtin_memset(memory, 0, bytes);
    return memory;
}
FUNCTION char *__nv_strdup(const char *text) {
    unsigned long size = __nv_strlen(text) + 1;
    void *memory = malloc(size);
    return memory ? (char *)__builtin_memcpy(memory, text, size) : nullptr;
}
FUNCTION int __nv_puts(const char *text) { return vprintf("%s\n", &text) < 0 ? -1 : 1; }
FUNCTION int __nv_putchar(int character) { return vprintf("%c", &character) < 0 ? -1 : (unsigned char)character; }

// The same where it is known how many bytes there are at `to`: the kernel stops before it writes more.
HELPER void check(unsigned long bytes, unsigned long room) {
    if (bytes > room) __builtin_trap();
}
FUNCTION void *__nv_memcpy_chk(void *to, const void *from, unsigned long count, unsigned long room) {
    check(count, room);
    return __builtin_memcpy(to, from, count);
}
FUNCTION void *__nv_memmove_chk(void *to, const void *from, unsigned long count, unsigned long room) {
    check(count, room);
    return __builtin_memmove(to, from, count);
}
FUNCTION void *__nv_memset_chk(void *to, int byte, unsigned long count, unsigned long room) {
    check(count, room);
    return __builtin_memset(to, byte, count);
}
FUNCTION void *__nv_mempcpy_chk(void *to, const void *from, unsigned long count, unsigned long room) {
    check(count, room);
    return __nv_mempcpy(to, from, count);
}
FUNCTION char *__nv_strcpy_chk(char *to, const char *from, unsigned long room) {
    check(__nv_strlen(from) + 1, room);
    return __nv_strcpy(to, from);
}
FUNCTION char *__nv_stpcpy_chk(char *to, const char *from, unsigned long room) {
    check(__nv_strlen(from) + 1, room);
    return __nv_stpcpy(to, from);
}
FUNCTION char *__nv_strncpy_chk(char *to, const char *from, unsigned long count, unsigned long room) {
    check(count, room);
    return __nv_strncpy(to, from, count);
}
FUNCTION char *__nv_stpncpy_chk(char *to, const char *from, unsigned long count, unsigned long room) {
    check(count, room);
    return __nv_stpncpy(to, from, count);
}
FUNCTION char *__nv_strcat_chk(char *to, const char *from, unsigned long room) {
    check(__nv_strlen(to) + __nv_strlen(from) + 1, room);
    return __nv_strcat(to, from);
}
FUNCTION char *__nv_strncat_chk(char *to, const char *from, unsigned long count, unsigned long room) {
    check(__nv_strlen(to) + __nv_strnlen(from, count) + 1, room);
    return __nv_strncat(to, from, count);
}
