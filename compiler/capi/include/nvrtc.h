/* NVRTC, as Warpsmith's library has it: CUDA C++ to PTX and cubins, in memory.
 *
 * A program that was compiled with the vendor's header of the same name runs with this library, too.
 * Link with libnvrtc.so.13. */
#ifndef WARPSMITH_NVRTC_H
#define WARPSMITH_NVRTC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source with its headers, and what came of it. Calls on one wait for each other. */
typedef struct nvrtcProgram_ *nvrtcProgram;

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
    NVRTC_ERROR_PCH_CREATE = 15,
    NVRTC_ERROR_CANCELLED = 16,
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

/* The name of a code. */
const char *nvrtcGetErrorString(nvrtcResult result);

/* The toolkit that the library stands for: 13, 0. */
nvrtcResult nvrtcVersion(int *major, int *minor);

/* The numbers of the architectures: how many, and they, in ascending order. */
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *numbers);

/* Copies a source and `count` headers, which are found by the names that an #include gives. `name` may be null:
 * "default_program". */
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
                               const char *const *headers, const char *const *names);

/* Ends a program and sets the handle to null. */
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);

/* Compiles: with -arch=compute_NN to PTX, with -arch=sm_NN to PTX and a cubin. compute_75 without it. */
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);

/* What came of the last compile. Sizes of texts count a closing zero. LTO-IR has size 0 without -dlto, the IRs of
 * OptiX and of tiles always. */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *bytes);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *bytes);
nvrtcResult nvrtcGetTileIRSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetTileIR(nvrtcProgram program, char *bytes);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);

/* Adds, before a compile, an expression that names a kernel, "scale<float>" say, or the address of a variable of
 * the device, "&table"; and gives, after it, the symbol. It is the program's. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **symbol);

/* Headers are never precompiled: the size of the heap is kept, and nothing else. */
nvrtcResult nvrtcGetPCHHeapSize(size_t *size);
nvrtcResult nvrtcSetPCHHeapSize(size_t size);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *size);

/* Headers that could be installed: there are none (`available` is 0), for those of this library are included without a
 * folder. Installing and removing fail with NVRTC_ERROR_BUILTIN_OPERATION_FAILURE; `why`, unless null, gets a reason. */
#define NVRTC_INSTALL_HEADERS_SKIP_IF_EXISTS 0x0
#define NVRTC_INSTALL_HEADERS_FORCE_OVERWRITE 0x1
#define NVRTC_INSTALL_HEADERS_NO_WAIT 0x2
typedef struct {
    int available;
    size_t compressedSize, uncompressedSize;
    int cudaVersionMajor, cudaVersionMinor;
    unsigned numFiles;
} nvrtcBundledHeadersInfo;
nvrtcResult nvrtcGetBundledHeadersInfo(nvrtcBundledHeadersInfo *info, const char **why);
nvrtcResult nvrtcInstallBundledHeaders(const char *path, unsigned flags, const char **why);
nvrtcResult nvrtcRemoveBundledHeaders(const char *path, const char **why);

/* Sets a function that ends a compile by answering anything but 0. It gets `payload` and null, is called on any
 * thread while a compile is at work, and must call no function of this library. */
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *), void *payload);

#ifdef __cplusplus
}
#endif

#endif
