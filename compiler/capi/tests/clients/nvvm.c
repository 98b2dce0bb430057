/* A program of libNVVM. */
#include <nvvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const module =
    "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "define void @k(i32* %p) {\n  store i32 7, i32* %p\n  ret void\n}\n"
    "!nvvm.annotations = !{!0}\n!0 = !{void (i32*)* @k, !\"kernel\", i32 1}\n"
    "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0}\n";

int main(void)
{
    const char *options[] = {"-arch=compute_90"};
    nvvmProgram program;
    size_t size = 0;
    char *ptx;
    int result;
    nvvmCreateProgram(&program);
    nvvmAddModuleToProgram(program, module, strlen(module), "seven.ll");
    result = nvvmCompileProgram(program, 1, options);
    nvvmGetCompiledResultSize(program, &size);
    ptx = malloc(size);
    nvvmGetCompiledResult(program, ptx);
    printf("%s: %s\n", nvvmGetErrorString(result), strstr(ptx, ".entry k(") ? "kernel" : "nothing");
    free(ptx);
    return nvvmDestroyProgram(&program) != NVVM_SUCCESS || result != NVVM_SUCCESS;
}
