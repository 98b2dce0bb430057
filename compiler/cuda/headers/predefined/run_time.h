// What there is from the start where device code is compiled alone, as NVRTC does: nothing of a host. Observed, NVRTC 13.0.

// The front end that programs ask for: what they leave out or write otherwise for it is right here, too.
#define _BOOL 1
#define _WCHAR_T 1
#define __ARRAY_OPERATORS 1
#define __CHAR16_T_AND_CHAR32_T 1
#define __EDG_IA64_ABI 1
#define __EDG_PTRDIFF_TYPE__ long
#define __EDG_SIZE_TYPE__ unsigned long
#define __EDG_TYPE_TRAITS_ENABLED 1
#define __EDG_VERSION__ 606
#define __EDG__ 1
#define __EXCEPTIONS 1
#define __PLACEMENT_DELETE 1
#define __PRAGMA_REDEFINE_EXTNAME 1
#define __SIGNED_CHARS__ 1
#define __STDC_HOSTED__ 1
#define __VARIADIC_TEMPLATES 1

// What is declared without any header, under the names by which headers ask for it.
#define CUDART_CB
#define CU_UUID_HAS_BEEN_DEFINED
#define CUDA_IPC_HANDLE_SIZE 64
#define NULL 0
#define __CUDACC_RTC__ 1
#define __CUDACC_RTC_BUILTIN_VECTOR_TYPES__ 1
#define __CUDACC_RTC_INT128__ 1
#define __CUDACC_VER__ "__CUDACC_VER__ is no longer supported. Use __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, and __CUDACC_VER_BUILD__ instead."
#define __NV_BUILTIN_INITIALIZER_LIST 1
#define __NV_GLIBC_PROVIDES_IEC_60559_FUNCS 0
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)
#define va_end(list) __builtin_va_end(list)
#define va_start(list, last) __builtin_va_start(list, last)

// Words of headers that say nothing here.
#define CUDARTAPI_CDECL
#define CUDART_DEVICE __device__
#define _CRTIMP
#define __THROW
#define __cdecl
#define __export__
#define __import__
#define __no_return__ __attribute__((noreturn))
#define __specialization_static static
#define __volatile__ volatile

// Questions about the target.
#define __CUDA_ARCH_HAS_FEATURE__(_FEAT) __CUDA_ARCH_FEAT_##_FEAT
