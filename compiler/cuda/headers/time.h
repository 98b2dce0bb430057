// `clock_t` and `clock` are declared before any header.
#pragma once
#include <stddef.h>
#include <warpsmith/library_macros.h>
typedef long time_t;
struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
extern "C" {
__host__ time_t time(time_t *to);
__host__ double difftime(time_t later, time_t earlier);
__host__ struct tm *localtime(const time_t *time);
__host__ struct tm *gmtime(const time_t *time);
__host__ time_t mktime(struct tm *time);
__host__ char *ctime(const time_t *time);
__host__ size_t strftime(char *to, size_t size, const char *format, const struct tm *time);
}
