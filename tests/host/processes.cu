// Memory and events of two processes: the program starts itself with the handles in a file.
#include <cstdio>
#include <cstdlib>
#include <string>
__global__ void add(int *data, int by) { data[threadIdx.x] += by; }
struct Handles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};
static const char *named(cudaError_t error) { return cudaGetErrorName(error); }
static void child(const Handles &handles) {
    int *data, *again;
    cudaEvent_t event;
    printf("child %s", named(cudaIpcOpenMemHandle((void **)&data, handles.memory, cudaIpcMemLazyEnablePeerAccess)));
    cudaIpcOpenMemHandle((void **)&again, handles.memory, 0);
    printf(" %d", data == again);
    printf(" %s", named(cudaIpcOpenEventHandle(&event, handles.event)));
    cudaStreamWaitEvent(0, event, 0);
    add<<<1, 32>>>(data, 100);
    cudaEventRecord(event);
    int last;
    cudaError_t copied = cudaMemcpy(&last, data + 31, sizeof last, cudaMemcpyDeviceToHost);
    printf(" %s %d", named(copied), last);
    printf(" %s", named(cudaFree(data)));
    printf(" %s", named(cudaIpcCloseMemHandle(data)));
    printf(" %s", named(cudaIpcCloseMemHandle(again)));
    printf(" %s\n", named(cudaIpcCloseMemHandle(again)));
}
int main(int count, char **words) {
    Handles handles;
    if (count > 1) {
        FILE *file = fopen(words[1], "rb");
        if (!file || fread(&handles, sizeof handles, 1, file) != 1) return 1;
        child(handles);
        return 0;
    }
    int *data, host[32];
    cudaMalloc(&data, sizeof host);
    cudaMemset(data, 0, sizeof host);
    add<<<1, 32>>>(data, 1);
    cudaEvent_t event, alone;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
    cudaEventCreate(&alone);
    printf("%s %s", named(cudaIpcGetMemHandle(&handles.memory, data)), named(cudaIpcGetEventHandle(&handles.event, event)));
    cudaIpcEventHandle_t none;
    printf(" %s\n", named(cudaIpcGetEventHandle(&none, alone)));
    void *own;
    printf("own %d\n", cudaIpcOpenMemHandle(&own, handles.memory, 0) != cudaSuccess);
    fflush(stdout);
    std::string name = std::string(words[0]) + ".handles";
    FILE *file = fopen(name.c_str(), "wb");
    fwrite(&handles, sizeof handles, 1, file);
    fclose(file);
    if (system((std::string(words[0]) + " " + name).c_str())) return 1;
    add<<<1, 32>>>(data, 1000);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d, freed %s\n", host[0], host[31], named(cudaFree(data)));
}
