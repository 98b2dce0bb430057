/* nvPTXCompiler, as Warpsmith's library has it: PTX to a cubin, in memory.
 *
 * A program that was compiled with the vendor's header of the same name runs with this library, too.
 * Link with libnvptxcompiler_static.a (and -lpthread -lm -ldl), or with libnvptxcompiler.so.13. */
#ifndef WARPSMITH_NVPTXCOMPILER_H
#define WARPSMITH_NVPTXCOMPILER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A compiler: a text, and what came of it. Calls on one wait for each other. */
typedef struct nvPTXCompiler *nvPTXCompilerHandle;

typedef enum {
    NVPTXCOMPILE_SUCCESS = 0,
    NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE = 1,
    NVPTXCOMPILE_ERROR_INVALID_INPUT = 2,
    NVPTXCOMPILE_ERROR_COMPILATION_FAILURE = 3,
    NVPTXCOMPILE_ERROR_INTERNAL = 4,
    NVPTXCOMPILE_ERROR_OUT_OF_MEMORY = 5,
    NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE = 6,
    NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION = 7,
    NVPTXCOMPILE_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 8,
    NVPTXCOMPILE_ERROR_CANCELLED = 9,
    /* A virtual target: the text is right, and there is no cubin. */
    NVPTXCOMPILE_ERROR_PARSE_ONLY_SUCCESS = 10
} nvPTXCompileResult;

/* The toolkit that the library stands for: 13, 0. */
nvPTXCompileResult nvPTXCompilerGetVersion(unsigned int *major, unsigned int *minor);

/* The versions of PTX that are read: how many, and pairs of major and minor in ascending order. */
nvPTXCompileResult nvPTXCompilerGetNumSupportedVersions(int *count);
nvPTXCompileResult nvPTXCompilerGetSupportedVersions(int (*versions)[2]);

/* The numbers of the SMs that there is code for: how many, and they, in ascending order. */
nvPTXCompileResult nvPTXCompilerGetNumSupportedArchs(int *count);
nvPTXCompileResult nvPTXCompilerGetSupportedArchs(int *numbers);

/* Copies a text; it is first looked at in a compile. */
nvPTXCompileResult nvPTXCompilerCreate(nvPTXCompilerHandle *compiler, size_t length, const char *ptx);

/* Ends a compiler and sets the handle to null. */
nvPTXCompileResult nvPTXCompilerDestroy(nvPTXCompilerHandle *compiler);

/* Compiles with the options of ptxas, "--gpu-name=sm_90" say; sm_75 without it. */
nvPTXCompileResult nvPTXCompilerCompile(nvPTXCompilerHandle compiler, int count, const char *const *options);

/* The cubin of the last compile. */
nvPTXCompileResult nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle compiler, size_t *size);
nvPTXCompileResult nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle compiler, void *program);

/* Errors, and warnings with what -v tells, of the last compile. Sizes count a closing zero; no text has size 0. */
nvPTXCompileResult nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle compiler, size_t *size);
nvPTXCompileResult nvPTXCompilerGetErrorLog(nvPTXCompilerHandle compiler, char *log);
nvPTXCompileResult nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle compiler, size_t *size);
nvPTXCompileResult nvPTXCompilerGetInfoLog(nvPTXCompilerHandle compiler, char *log);

/* Sets a function that ends a compile by answering anything but 0. It gets `payload` and null, is called on any thread
 * while a compile is at work, and must call no function of this library. */
nvPTXCompileResult nvPTXCompilerSetFlowCallback(nvPTXCompilerHandle compiler, int (*callback)(void *, void *),
                                                void *payload);

#ifdef __cplusplus
}
#endif

#endif
