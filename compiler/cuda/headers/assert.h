// Assertions. May be included again, after a change of NDEBUG.
#undef assert
#if !defined(__ASSERT_FUNCTION) && !defined(__CUDACC_RTC__)
// The C library's name for it, which programs use.
#define __ASSERT_FUNCTION __PRETTY_FUNCTION__
#endif
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#endif
