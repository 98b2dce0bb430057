/* nvJitLink, as Warpsmith's library has it: PTX and LTO-IR to one cubin, in memory.
 *
 * A program that was compiled with the vendor's header of the same name runs with this library, too.
 * Link with libnvJitLink.so.13. LTO-IR is Warpsmith's own, as its NVRTC and libNVVM make it. */
#ifndef WARPSMITH_NVJITLINK_H
#define WARPSMITH_NVJITLINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options, inputs, and what came of them. Calls on one wait for each other. */
typedef struct _nvJitLink *nvJitLinkHandle;

typedef enum {
    NVJITLINK_SUCCESS = 0,
    NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
    NVJITLINK_ERROR_MISSING_ARCH = 2,
    NVJITLINK_ERROR_INVALID_INPUT = 3,
    NVJITLINK_ERROR_PTX_COMPILE = 4,
    NVJITLINK_ERROR_NVVM_COMPILE = 5,
    NVJITLINK_ERROR_INTERNAL = 6,
    NVJITLINK_ERROR_THREADPOOL = 7,
    NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
    NVJITLINK_ERROR_FINALIZE = 9,
    NVJITLINK_ERROR_NULL_INPUT = 10,
    NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS = 11,
    NVJITLINK_ERROR_INCORRECT_INPUT_TYPE = 12,
    NVJITLINK_ERROR_ARCH_MISMATCH = 13,
    NVJITLINK_ERROR_OUTDATED_LIBRARY = 14,
    NVJITLINK_ERROR_MISSING_FATBIN = 15,
    NVJITLINK_ERROR_UNRECOGNIZED_ARCH = 16,
    NVJITLINK_ERROR_UNSUPPORTED_ARCH = 17,
    NVJITLINK_ERROR_LTO_NOT_ENABLED = 18
} nvJitLinkResult;

/* PTX and LTO-IR are linked; libraries are taken, and nothing of them is linked; the others are refused by name. With ANY the bytes say which they are. */
typedef enum {
    NVJITLINK_INPUT_NONE = 0,
    NVJITLINK_INPUT_CUBIN = 1,
    NVJITLINK_INPUT_PTX = 2,
    NVJITLINK_INPUT_LTOIR = 3,
    NVJITLINK_INPUT_FATBIN = 4,
    NVJITLINK_INPUT_OBJECT = 5,
    NVJITLINK_INPUT_LIBRARY = 6,
    NVJITLINK_INPUT_INDEX = 7,
    NVJITLINK_INPUT_ANY = 10
} nvJitLinkInputType;

/* The toolkit that the library is of. */
nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor);

/* Makes a linker, also where options are wrong: its log says why. Ends one, and sets the handle to null. */
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *linker, uint32_t count, const char **options);
nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *linker);

/* Adds an input; the name is for messages, and may be null. */
nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle linker, nvJitLinkInputType kind, const void *data, size_t size,
                                 const char *name);
nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle linker, nvJitLinkInputType kind, const char *file);

/* Links all that was added. */
nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle linker);

/* What came of it: a cubin, or with -lto -ptx a text with its closing zero. */
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle linker, size_t *size);
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle linker, void *cubin);
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle linker, size_t *size);
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle linker, char *ptx);

/* The logs, with a closing zero; the size is 0 where there is nothing. */
nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle linker, size_t *size);
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle linker, char *log);
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle linker, size_t *size);
nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle linker, char *log);

#ifdef __cplusplus
}
#endif

#endif
