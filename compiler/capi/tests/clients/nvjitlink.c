/* A program of nvJitLink: units of CUDA C++ to LTO-IR by NVRTC, and to one cubin. Some calls have the names that the vendor's header gives them. */
#define nvJitLinkCreate __nvJitLinkCreate_13_0
#define nvJitLinkComplete __nvJitLinkComplete_13_5
#include <nvJitLink.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sources[] = {
    "__device__ int triple(int);\nextern \"C\" __global__ void k(int *p) { *p = triple(*p); }\n",
    "__device__ int triple(int x) { return 3 * x; }\n",
};

static int add(nvJitLinkHandle linker, const char *source)
{
    const char *options[] = {"--gpu-architecture=compute_90", "-dlto"};
    nvrtcProgram program;
    nvJitLinkResult result = NVJITLINK_ERROR_INTERNAL;
    size_t size = 0;
    char *unit;
    nvrtcCreateProgram(&program, source, "unit.cu", 0, NULL, NULL);
    if (nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS) {
        nvrtcGetLTOIRSize(program, &size);
        unit = malloc(size);
        nvrtcGetLTOIR(program, unit);
        result = nvJitLinkAddData(linker, NVJITLINK_INPUT_LTOIR, unit, size, "unit");
        free(unit);
    }
    nvrtcDestroyProgram(&program);
    return result;
}

static void tell(nvJitLinkHandle linker)
{
    size_t size = 0;
    char *log;
    nvJitLinkGetErrorLogSize(linker, &size);
    log = calloc(1, size + 1);
    nvJitLinkGetErrorLog(linker, log);
    printf("%s", log);
    free(log);
}

int main(void)
{
    const char *options[] = {"-arch=sm_90", "-lto"}, *wrong = "-arch=sm_20";
    nvJitLinkHandle linker;
    unsigned major, minor;
    size_t size = 0;
    char *cubin;
    nvJitLinkVersion(&major, &minor);
    printf("version %u.%u\n", major, minor);
    printf("wrong: %d ", nvJitLinkCreate(&linker, 1, &wrong));
    tell(linker);
    nvJitLinkDestroy(&linker);
    printf("create: %d\n", nvJitLinkCreate(&linker, 2, options));
    printf("early: %d\n", nvJitLinkGetLinkedCubinSize(linker, &size));
    for (int unit = 0; unit < 2; unit++)
        printf("add: %d\n", add(linker, sources[unit]));
    printf("complete: %d\n", nvJitLinkComplete(linker));
    tell(linker);
    printf("size: %d\n", nvJitLinkGetLinkedCubinSize(linker, &size));
    cubin = malloc(size);
    printf("cubin: %d", nvJitLinkGetLinkedCubin(linker, cubin));
    printf(" %s\n", memcmp(cubin, "\177ELF", 4) ? "nothing" : "ELF");
    free(cubin);
    printf("destroy: %d", nvJitLinkDestroy(&linker));
    printf(" %s\n", linker ? "kept" : "null");
    return 0;
}
