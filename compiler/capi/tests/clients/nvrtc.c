/* A program of NVRTC: a header from memory, a name expression, a log; before and after fork(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const source = "#include \"scale.h\"\n"
                                  "template<typename T> __global__ void scale(T *x) { x[threadIdx.x] *= SCALE; }\n";
static const char *const header = "#define SCALE 2\n";

static int compile(const char *who)
{
    const char *name = "scale.h", *options[] = {"--gpu-architecture=sm_90", "-I."}, *lowered = "";
    nvrtcProgram program;
    size_t size = 0;
    char *ptx;
    int result;
    nvrtcCreateProgram(&program, source, "scale.cu", 1, &header, &name);
    nvrtcAddNameExpression(program, "scale<float>");
    result = nvrtcCompileProgram(program, 2, options);
    printf("%s: %s", who, nvrtcGetErrorString(result));
    nvrtcGetLoweredName(program, "scale<float>", &lowered);
    nvrtcGetPTXSize(program, &size);
    ptx = malloc(size);
    nvrtcGetPTX(program, ptx);
    printf(" %s %s", lowered, strstr(ptx, lowered) ? "in PTX" : "missing");
    free(ptx);
    nvrtcGetCUBINSize(program, &size);
    printf(" %s\n", size > 1000 ? "cubin" : "nothing");
    fflush(stdout);
    return nvrtcDestroyProgram(&program) != NVRTC_SUCCESS || result != NVRTC_SUCCESS;
}

int main(void)
{
    int major, minor, status, failed;
    nvrtcVersion(&major, &minor);
    printf("version %d.%d of %s\n", major, minor,
           dlvsym(RTLD_DEFAULT, "nvrtcVersion", "libnvrtc.so.13") ? "libnvrtc.so.13" : "nothing");
    failed = compile("parent");
    if (fork() == 0)
        _exit(compile("child"));
    wait(&status);
    return failed || status != 0;
}
