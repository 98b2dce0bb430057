/* A program of nvPTXCompiler: compiles before and after fork(). */
#include <nvPTXCompiler.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

static int compile(const char *who)
{
    const char *options[] = {"--gpu-name=sm_90"};
    nvPTXCompilerHandle compiler;
    size_t size = 0;
    int result = nvPTXCompilerCreate(&compiler, strlen(ptx), ptx);
    if (result == NVPTXCOMPILE_SUCCESS)
        result = nvPTXCompilerCompile(compiler, 1, options);
    if (result == NVPTXCOMPILE_SUCCESS)
        result = nvPTXCompilerGetCompiledProgramSize(compiler, &size);
    printf("%s: %d %s\n", who, result, size > 1000 ? "cubin" : "nothing");
    fflush(stdout);
    return nvPTXCompilerDestroy(&compiler) != NVPTXCOMPILE_SUCCESS || result != NVPTXCOMPILE_SUCCESS;
}

int main(void)
{
    unsigned int major, minor;
    int status, failed;
    nvPTXCompilerGetVersion(&major, &minor);
    printf("version %u.%u\n", major, minor);
    failed = compile("parent");
    if (fork() == 0)
        _exit(compile("child"));
    wait(&status);
    return failed || status != 0;
}
