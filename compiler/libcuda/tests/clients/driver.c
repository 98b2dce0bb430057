/* A program of the driver API, linked against the library and bound at once. Its first argument says what it does; it prints the codes of calls. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
int cuInit(unsigned), cuDeviceGet(int *, int), cuDevicePrimaryCtxRetain(handle *, int), cuDevicePrimaryCtxReset_v2(int), cuCtxSetCurrent(handle);
int cuCtxCreate_v2(handle *, unsigned, int), cuCtxDestroy_v2(handle), cuCtxSynchronize(void), cuStreamQuery(handle), cuEventCreate(handle *, unsigned);
int cuModuleLoadData(handle *, const void *), cuModuleLoad(handle *, const char *), cuModuleGetFunction(handle *, handle, const char *);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t), cuMemHostRegister_v2(void *, size_t, unsigned), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemsetD8_v2(uint64_t, unsigned char, size_t);
int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **);
int cuLibraryLoadData(handle *, const void *, int *, void **, unsigned, int *, void **, unsigned), cuLibraryUnload(handle);
int cuLibraryLoadFromFile(handle *, const char *, int *, void **, unsigned, int *, void **, unsigned), cuLibraryGetModule(handle *, handle);
int cuLibraryGetKernel(handle *, handle, const char *), cuLibraryGetKernelCount(unsigned *, handle), cuLibraryEnumerateKernels(handle *, unsigned, handle);
int cuLibraryGetGlobal(uint64_t *, size_t *, handle, const char *), cuLibraryGetManaged(uint64_t *, size_t *, handle, const char *);
int cuKernelGetFunction(handle *, handle), cuKernelGetLibrary(handle *, handle), cuKernelGetName(const char **, handle);
int cuKernelGetAttribute(int *, int, handle, int), cuKernelSetAttribute(int, int, handle, int), cuKernelSetCacheConfig(handle, int, int);
int cuKernelGetParamInfo(handle, size_t, size_t *, size_t *), cuDeviceGetDefaultMemPool(handle *, int);
int cuMemPoolGetAttribute(handle, int, void *), cuMemPoolSetAttribute(handle, int, void *), cuMemAllocAsync(uint64_t *, size_t, handle);
int cuMemPoolSetAccess(handle, const void *, size_t), cuMemPoolGetAccess(unsigned *, handle, const void *), cuMemFreeAsync(uint64_t, handle);
int cuGetExportTable(const void **, const void *), cuTexRefCreate(handle *);

static void enter(void) {
    handle context;
    int device, code = cuInit(0);
    code |= cuDeviceGet(&device, 0);
    code |= cuDevicePrimaryCtxRetain(&context, device);
    code |= cuCtxSetCurrent(context);
    if (code) printf("enter %d\n", code);
}

static handle kernel_of(const char *ptx) {
    handle module = 0, kernel = 0;
    int code = cuModuleLoadData(&module, ptx);
    if (!code) code = cuModuleGetFunction(&kernel, module, "k");
    if (code) printf("load %d\n", code);
    return kernel;
}

static int launch(handle kernel, unsigned threads, uint64_t argument) {
    void *arguments[] = {&argument};
    return cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, 0, arguments, 0);
}

/* What each kind of fault gives, in a context of its own. */
static void faults(void) {
    static const struct { const char *what, *body; } kinds[] = {
        {"far", "st.global.u32 [%a+1048576], %r;"}, {"null", "mov.u64 %a, 0; st.global.u32 [%a], %r;"},
        {"after", "st.global.u32 [%a+64], %r;"},    {"misaligned", "st.global.u32 [%a+1], %r;"},
        {"shared", "mov.u32 %r, 1000000; st.shared.u32 [%r], %r;"}, {"trap", "trap;"},
        {"endless", "again: bra again;"},           {"atomic", "atom.global.add.u32 %r, [%a+64], 1;"},
        {"sound", "st.global.u32 [%a+60], %r;"},
    };
    for (unsigned index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        char text[1024];
        handle context;
        uint64_t memory = 0;
        snprintf(text, sizeof text, ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b32 s[4];\n.visible .entry k(.param .u64 p)\n"
                 "{ .reg .b32 %%r; .reg .b64 %%a; ld.param.u64 %%a, [p]; mov.u32 %%r, 1;\n%s\nret; }\n", kinds[index].body);
        if (cuCtxCreate_v2(&context, 0, 0) || cuMemAlloc_v2(&memory, 64)) printf("no context\n");
        handle kernel = kernel_of(text);
        unsigned char byte = 0;
        handle event;
        printf("%s: launch %d", kinds[index].what, launch(kernel, 1, memory));
        printf(" synchronize %d", cuCtxSynchronize());
        printf(" %d", cuCtxSynchronize());
        printf(" copies %d", cuMemcpyDtoH_v2(&byte, memory, 1));
        printf(" %d", cuMemcpyHtoD_v2(memory, &byte, 1));
        printf(" set %d", cuMemsetD8_v2(memory, 0, 1));
        printf(" again %d", launch(kernel, 1, memory));
        printf(" query %d", cuStreamQuery(0));
        printf(" event %d", cuEventCreate(&event, 0));
        printf(" free %d\n", cuMemFree_v2(memory));
        cuCtxDestroy_v2(context);
    }
}

static volatile uint32_t *shared_words;
static volatile int has_started;

static void *writes_beside(void *unused) {
    while (shared_words[0] == 0) {}
    for (unsigned index = 1; index < 1024; index++) shared_words[index] = index;
    return unused;
}

/* A kernel counts in the first word, while the host writes all others. */
static void beside(void) {
    handle kernel = kernel_of(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{ .reg .b32 %r; .reg .b64 %a; .reg .pred %q;\n"
                              "ld.param.u64 %a, [p]; mov.u32 %r, 0;\nagain: add.u32 %r, %r, 1; st.volatile.global.u32 [%a], %r; setp.lt.u32 %q, %r, 100000;\n"
                              "@%q bra again; ret; }\n");
    shared_words = aligned_alloc(4096, 4096);
    memset((void *)shared_words, 0, 4096);
    printf("register %d\n", cuMemHostRegister_v2((void *)shared_words, 4096, 0));
    pthread_t thread;
    pthread_create(&thread, 0, writes_beside, 0);
    printf("launch %d\n", launch(kernel, 1, (uint64_t)shared_words));
    pthread_join(thread, 0);
    unsigned lost = 0;
    for (unsigned index = 1; index < 1024; index++) lost += shared_words[index] != index;
    printf("counted %u, lost %u\n", shared_words[0], lost);
}

static char *read_all(const char *file, long *size) {
    FILE *from = fopen(file, "rb");
    if (!from) exit(3);
    fseek(from, 0, SEEK_END);
    *size = ftell(from);
    rewind(from);
    char *bytes = malloc(*size);
    if (fread(bytes, 1, *size, from) != (size_t)*size) exit(4);
    fclose(from);
    return bytes;
}

static void load(const char *what, const void *image) {
    handle module;
    printf("%s %d\n", what, cuModuleLoadData(&module, image));
    fflush(stdout);
}

static void load_file(const char *what, const char *bytes, long size) {
    handle module;
    FILE *to = fopen("hostile.cubin", "wb");
    if (!to || fwrite(bytes, 1, size, to) != (size_t)size) exit(5);
    fclose(to);
    printf("file %s %d\n", what, cuModuleLoad(&module, "hostile.cubin"));
    fflush(stdout);
}

/* Images that claim what they do not have. */
static void images(void) {
    long size, fat_size;
    char *good = read_all("good.cubin", &size), *fatbin = read_all("good.fatbin", &fat_size), *bad = malloc(size);
    load("good", good);
    load("good fatbin", fatbin);
    uint64_t sections, huge[] = {1ull << 24, 1ull << 40, ~0ull};
    memcpy(&sections, good + 40, 8);
    for (unsigned index = 0; index < 3; index++) {
        memcpy(bad, good, size);
        memcpy(bad + 40, &huge[index], 8);
        load("section table far away", bad);
        memcpy(bad, good, size);
        memcpy(bad + sections + 64 * 3 + 32, &huge[index], 8);
        load("a huge section", bad);
        load_file("a huge section", bad, size);
        memcpy(fatbin + 8, &huge[index], 8);
        load("a huge fatbin", fatbin);
    }
    memcpy(bad, good, size);
    memset(bad + 60, 0xff, 2);
    load("65535 sections", bad);
    memcpy(bad, good, size);
    memcpy(bad + sections + 64 * 3 + 24, &huge[2], 8);
    load("a section at the end of memory", bad);
    load_file("half", good, size / 2);
    load_file("60 bytes", good, 60);
    load_file("3 bytes", good, 3);
    load_file("nothing", good, 0);
    load("PTX with a huge variable", ".version 8.0\n.target sm_80\n.address_size 64\n.global .b8 x[1099511627776];\n.visible .entry k() { ret; }\n");
    handle module;
    printf("no file %d\n", cuModuleLoad(&module, "there is none.cubin"));
    load("good again", good);
}

static const char two_kernels[] = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 step = 5;\n.global .attribute(.managed) .u32 both = 7;\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) { .reg .b32 %r; .reg .b64 %a; ld.param.u64 %a, [p]; ld.global.u32 %r, [step]; st.global.u32 [%a], %r; ret; }\n"
    ".visible .entry other() { ret; }\n";

/* What is loaded without a context, and found in each. */
static void libraries(void) {
    handle library, kernel, all[2] = {0, 0}, function, module, back, context, primary;
    uint64_t memory, address, managed;
    size_t bytes, offset;
    unsigned count, number = 3, word = 0;
    int value;
    const char *name;
    printf("load %d", cuLibraryLoadData(&library, two_kernels, 0, 0, 0, 0, 0, 0));
    printf(" null %d %d", cuLibraryLoadData(0, two_kernels, 0, 0, 0, 0, 0, 0), cuLibraryLoadData(&back, 0, 0, 0, 0, 0, 0, 0));
    printf(" bad %d", cuLibraryLoadData(&back, "no image", 0, 0, 0, 0, 0, 0));
    printf(" file %d", cuLibraryLoadFromFile(&back, "good.cubin", 0, 0, 0, 0, 0, 0));
    printf(" none %d\n", cuLibraryLoadFromFile(&back, "none.cubin", 0, 0, 0, 0, 0, 0));
    printf("count %d", cuLibraryGetKernelCount(&count, library));
    printf(" %u all %d", count, cuLibraryEnumerateKernels(all, 2, library));
    for (unsigned index = 0; index < 2; index++) {
        printf(" %d", cuKernelGetName(&name, all[index]));
        printf(" %s", name);
    }
    printf("\nkernel %d", cuLibraryGetKernel(&kernel, library, "k"));
    printf(" is %s", kernel == all[0] || kernel == all[1] ? "one of all" : "another");
    printf(" none %d of %d\n", cuLibraryGetKernel(&back, library, "none"), cuKernelGetLibrary(&back, kernel));
    printf("library %s", back == library ? "the same" : "another");
    printf(" parameter %d", cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
    printf(" at %zu of %zu none %d\n", offset, bytes, cuKernelGetParamInfo(kernel, 2, &offset, &bytes));
    printf("threads %d", cuKernelGetAttribute(&value, 0, kernel, 0));
    printf(" %d device %d", value, cuKernelGetAttribute(&value, 0, kernel, 1));
    printf(" shared %d", cuKernelSetAttribute(8, 65536, kernel, 0));
    printf(" device %d cache %d %d\n", cuKernelSetAttribute(8, 65536, kernel, 1), cuKernelSetCacheConfig(kernel, 0, 0), cuKernelSetCacheConfig(kernel, 0, 1));
    cuMemAlloc_v2(&memory, 4);
    void *arguments[] = {&memory, &number};
    printf("launch %d", cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
    cuMemcpyDtoH_v2(&word, memory, 4);
    printf(" gives %u", word);
    printf(" function %d", cuKernelGetFunction(&function, kernel));
    printf(" launch %d\n", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
    printf("variable %d", cuLibraryGetGlobal(&address, &bytes, library, "step"));
    printf(" of %zu none %d managed %d", bytes, cuLibraryGetGlobal(&address, &bytes, library, "none"), cuLibraryGetManaged(&managed, &bytes, library, "both"));
    printf(" holds %u", *(unsigned *)managed);
    printf(" others %d %d\n", cuLibraryGetManaged(&managed, &bytes, library, "step"), cuLibraryGetManaged(&managed, &bytes, library, "none"));
    printf("module %d", cuLibraryGetModule(&module, library));
    printf(" its kernel %d", cuModuleGetFunction(&back, module, "k"));
    printf(" %s\n", back == function ? "the same" : "another");
    /* Another context has its own variables. */
    cuDevicePrimaryCtxRetain(&primary, 0);
    cuLibraryGetGlobal(&managed, 0, library, "step");
    printf("elsewhere %d", cuCtxCreate_v2(&context, 0, 0));
    printf(" variable %d", cuLibraryGetGlobal(&address, 0, library, "step"));
    printf(" %s", address == managed ? "once" : "twice");
    printf(" function %d", cuKernelGetFunction(&back, kernel));
    printf(" %s\n", back == function ? "the same" : "another");
    /* Null takes one context away. */
    cuCtxSetCurrent(0);
    cuCtxSetCurrent(0);
    printf("no context: module %d function %d variable %d\n", cuLibraryGetModule(&module, library), cuKernelGetFunction(&back, kernel), cuLibraryGetGlobal(&address, &bytes, library, "step"));
    cuCtxSetCurrent(primary);
    printf("unload %d", cuLibraryUnload(library));
    printf(" again %d kernel %d", cuLibraryUnload(library), cuLibraryGetKernel(&back, library, "k"));
    printf(" launch %d %d made up %d\n", cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0), cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0), cuLibraryUnload((handle)4096));
}

static unsigned long long pool_bytes(handle pool, int attribute) {
    uint64_t value = 77;
    if (cuMemPoolGetAttribute(pool, attribute, &value)) printf("(refused)");
    return value;
}

/* The pool that memory is from. */
static void pool(void) {
    handle pool;
    uint64_t first, second, value = 0;
    unsigned word = 0, own[] = {1, 0, 3}, none[] = {1, 0, 0}, other[] = {1, 1, 3}, host[] = {2, 0, 3};
    cuDeviceGetDefaultMemPool(&pool, 0);
    printf("policy %d", cuMemPoolGetAttribute(pool, 1, &word));
    printf(" %u", word);
    word = 0;
    printf(" set %d", cuMemPoolSetAttribute(pool, 1, &word));
    word = 9;
    printf(" %d", cuMemPoolGetAttribute(pool, 1, &word));
    printf(" %u\n", word);
    value = 1 << 20;
    printf("threshold %llu", pool_bytes(pool, 4));
    printf(" set %d", cuMemPoolSetAttribute(pool, 4, &value));
    printf(" %llu\n", pool_bytes(pool, 4));
    cuMemAllocAsync(&first, 1024, 0);
    cuMemAllocAsync(&second, 2048, 0);
    printf("used %llu of %llu, at most %llu\n", pool_bytes(pool, 7), pool_bytes(pool, 5), pool_bytes(pool, 8));
    cuMemFreeAsync(second, 0);
    printf("used %llu, at most %llu %llu\n", pool_bytes(pool, 7), pool_bytes(pool, 8), pool_bytes(pool, 6));
    value = 1;
    printf("set: used %d at most %d", cuMemPoolSetAttribute(pool, 7, &value), cuMemPoolSetAttribute(pool, 8, &value));
    value = 0;
    printf(" %d", cuMemPoolSetAttribute(pool, 8, &value));
    printf(", at most %llu; ", pool_bytes(pool, 8));
    printf("others %d %d %d\n", cuMemPoolGetAttribute(pool, 0, &value), cuMemPoolSetAttribute(pool, 99, &value), cuMemPoolGetAttribute(pool, 1, 0));
    printf("access %d %d %d %d", cuMemPoolSetAccess(pool, own, 1), cuMemPoolSetAccess(pool, none, 1), cuMemPoolSetAccess(pool, other, 1), cuMemPoolSetAccess(pool, host, 1));
    printf(" is %d", cuMemPoolGetAccess(&word, pool, own));
    printf(" %u other %d null %d no pool %d\n", word, cuMemPoolGetAccess(&word, pool, other), cuMemPoolGetAccess(&word, pool, 0), cuMemPoolGetAccess(&word, 0, own));
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    if (!strcmp(what, "early")) {
        uint64_t memory;
        int device;
        printf("%d", cuMemAlloc_v2(&memory, 8));
        printf(" %d", cuDeviceGet(&device, 0));
        printf(" %d", cuInit(0));
        printf(" %d", cuMemAlloc_v2(&memory, 8));
        printf(" %d\n", cuDeviceGet(&device, 1));
        return 0;
    }
    enter();
    if (!strcmp(what, "faults")) faults();
    if (!strcmp(what, "beside")) beside();
    if (!strcmp(what, "images")) images();
    if (!strcmp(what, "libraries")) libraries();
    if (!strcmp(what, "pool")) pool();
    if (!strcmp(what, "refused")) {
        const void *table;
        handle texture;
        printf("%d", cuGetExportTable(&table, ""));
        printf(" %d", cuTexRefCreate(&texture));
        printf(" %d\n", cuTexRefCreate(&texture));
    }
    return 0;
}
