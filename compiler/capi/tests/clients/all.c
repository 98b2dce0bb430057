/* CUDA C++ to LTO-IR, to a cubin; and CUDA C++ to PTX, to a cubin: three libraries through one header. */
#include <stdio.h>
#include <stdlib.h>
#include <warpsmith.h>

static const char *const source = "extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n";

static char *compiled(int lto, size_t *size)
{
    const char *options[] = {"-arch=compute_90", "-dlto"};
    nvrtcProgram program;
    char *bytes;
    nvrtcCreateProgram(&program, source, "twice.cu", 0, NULL, NULL);
    printf("NVRTC: %s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 1 + lto, options)));
    lto ? nvrtcGetLTOIRSize(program, size) : nvrtcGetPTXSize(program, size);
    bytes = malloc(*size);
    lto ? nvrtcGetLTOIR(program, bytes) : nvrtcGetPTX(program, bytes);
    nvrtcDestroyProgram(&program);
    return bytes;
}

int main(void)
{
    const char *link[] = {"-arch=sm_90", "-lto"}, *assemble[] = {"-arch=sm_90"};
    nvJitLinkHandle linker;
    nvPTXCompilerHandle compiler;
    size_t size = 0;
    char *bytes = compiled(1, &size);
    nvJitLinkCreate(&linker, 2, link);
    nvJitLinkAddData(linker, NVJITLINK_INPUT_LTOIR, bytes, size, "twice");
    printf("nvJitLink: %d\n", nvJitLinkComplete(linker));
    nvJitLinkDestroy(&linker);
    free(bytes);
    bytes = compiled(0, &size);
    nvPTXCompilerCreate(&compiler, size, bytes);
    printf("nvPTXCompiler: %d\n", nvPTXCompilerCompile(compiler, 1, assemble));
    nvPTXCompilerDestroy(&compiler);
    free(bytes);
    return 0;
}
