/* libNVVM, as Warpsmith's library has it: NVVM IR to PTX, in memory.
 *
 * A program that was compiled with the vendor's header of the same name runs with this library, too.
 * Link with libnvvm.so.4. Modules are text; of bitcode, only a module that is added lazily and of which nothing is
 * needed is taken (the functions of libdevice are the library's own). */
#ifndef WARPSMITH_NVVM_H
#define WARPSMITH_NVVM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Modules, and what came of them. Calls on one wait for each other. */
typedef struct _nvvmProgram *nvvmProgram;

typedef enum {
    NVVM_SUCCESS = 0,
    NVVM_ERROR_OUT_OF_MEMORY = 1,
    NVVM_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVVM_ERROR_IR_VERSION_MISMATCH = 3,
    NVVM_ERROR_INVALID_INPUT = 4,
    NVVM_ERROR_INVALID_PROGRAM = 5,
    NVVM_ERROR_INVALID_IR = 6,
    NVVM_ERROR_INVALID_OPTION = 7,
    NVVM_ERROR_NO_MODULE_IN_PROGRAM = 8,
    NVVM_ERROR_COMPILATION = 9
} nvvmResult;

/* The name of a code. */
const char *nvvmGetErrorString(nvvmResult result);

/* The versions of the library (2, 0), of the IR (2, 0) and of its debug information (3, 2). */
nvvmResult nvvmVersion(int *major, int *minor);
nvvmResult nvvmIRVersion(int *major, int *minor, int *debug_major, int *debug_minor);

/* Makes a program; ends one, and sets the handle to null. */
nvvmResult nvvmCreateProgram(nvvmProgram *program);
nvvmResult nvvmDestroyProgram(nvvmProgram *program);

/* Copies a module; `name` may be null. Of one that is added lazily only what others need is taken. */
nvvmResult nvvmAddModuleToProgram(nvvmProgram program, const char *buffer, size_t size, const char *name);
nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram program, const char *buffer, size_t size, const char *name);

/* Checks, and compiles, with -arch=compute_NN (75 without it), -opt=0 to 3, -g, -ftz=, -prec-sqrt=, -prec-div=,
 * -fma=, each 0 or 1. */
nvvmResult nvvmVerifyProgram(nvvmProgram program, int count, const char **options);
nvvmResult nvvmCompileProgram(nvvmProgram program, int count, const char **options);

/* The PTX of the last compile, and what was said of the last compile or check. Sizes count a closing zero. */
nvvmResult nvvmGetCompiledResultSize(nvvmProgram program, size_t *size);
nvvmResult nvvmGetCompiledResult(nvvmProgram program, char *ptx);
nvvmResult nvvmGetProgramLogSize(nvvmProgram program, size_t *size);
nvvmResult nvvmGetProgramLog(nvvmProgram program, char *log);

#ifdef __cplusplus
}
#endif

#endif
