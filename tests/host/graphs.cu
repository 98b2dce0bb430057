// Graphs: made node by node, captured from streams, changed, copied and launched again.
#include <cstdio>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t error = call;                                                                   \
        if (error != cudaSuccess) std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(error)); \
    } while (0)

__global__ void scale(int *values, int by) { values[threadIdx.x] *= by; }
__global__ void add(int *to, const int *from) { to[threadIdx.x] += from[threadIdx.x]; }

static int calls;
static void called(void *data) { calls += *(int *)data; }

static void nodes() {
    int host[4] = {1, 2, 3, 4}, *device, by = 10, seven = 7;
    CHECK(cudaMalloc(&device, sizeof host));
    cudaGraph_t graph, copy;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t in, kernel, out, call;
    CHECK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, device, host, sizeof host, cudaMemcpyHostToDevice));
    void *arguments[] = {&device, &by};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void *)scale;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(4);
    parameters.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &in, 1, &parameters));
    cudaMemcpy3DParms back = {};
    back.srcPtr = make_cudaPitchedPtr(device, sizeof host, 4, 1);
    back.dstPtr = make_cudaPitchedPtr(host, sizeof host, 4, 1);
    back.extent = make_cudaExtent(sizeof host, 1, 1);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&out, graph, &kernel, 1, &back));
    cudaHostNodeParams host_call = {called, &seven};
    CHECK(cudaGraphAddHostNode(&call, graph, &out, 1, &host_call));
    size_t count = 0, roots = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(kernel, &type));
    std::printf("%zu nodes, %zu root, type %d\n", count, roots, type);
    cudaGraphExec_t executable, second;
    CHECK(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaStreamSynchronize(0));
    std::printf("launched %d %d, called %d\n", host[0], host[3], calls);
    by = -1;
    CHECK(cudaGraphExecKernelNodeSetParams(executable, kernel, &parameters));
    CHECK(cudaGraphLaunch(executable, 0));
    std::printf("changed %d\n", host[0]);
    CHECK(cudaGraphClone(&copy, graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphInstantiate(&second, copy, 0));
    CHECK(cudaGraphLaunch(second, 0));
    std::printf("copied %d\n", host[0]);
    std::printf("destroyed %s\n", cudaGetErrorName(cudaGraphLaunch(nullptr, 0)));
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphExecDestroy(second));
    CHECK(cudaGraphDestroy(copy));
    CHECK(cudaFree(device));
}

static void captured() {
    int *a, *b, host[4];
    CHECK(cudaMalloc(&a, 16));
    CHECK(cudaMalloc(&b, 16));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    cudaEvent_t fork, join;
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMemset(a, 0, 16));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(a, 1, 16, first));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork, 0));
    CHECK(cudaMemsetAsync(b, 2, 16, second));
    scale<<<1, 4, 0, first>>>(a, 3);
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(second, &status));
    std::printf("capturing %d\n", status);
    CHECK(cudaEventRecord(join, second));
    CHECK(cudaStreamWaitEvent(first, join, 0));
    add<<<1, 4, 0, first>>>(a, b);
    CHECK(cudaMemcpyAsync(host, a, 16, cudaMemcpyDeviceToHost, first));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(first, &graph));
    CHECK(cudaMemcpy(host, a, 16, cudaMemcpyDeviceToHost));
    std::printf("nothing was done: %x\n", host[3]);
    size_t count = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, first));
    CHECK(cudaStreamSynchronize(first));
    std::printf("%zu nodes: %x\n", count, host[3]);
    // The same again with another number, into the executable graph that is there.
    cudaGraph_t other;
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(a, 1, 16, first));
    CHECK(cudaMemsetAsync(b, 1, 16, first));
    scale<<<1, 4, 0, first>>>(a, 5);
    add<<<1, 4, 0, first>>>(a, b);
    CHECK(cudaMemcpyAsync(host, a, 16, cudaMemcpyDeviceToHost, first));
    CHECK(cudaStreamEndCapture(first, &other));
    cudaGraphExecUpdateResult result;
    CHECK(cudaGraphExecUpdate(executable, other, nullptr, &result));
    CHECK(cudaGraphLaunch(executable, first));
    std::printf("updated %d: %x\n", result, host[3]);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(other));
}

static void unfinished() {
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    cudaEvent_t fork;
    CHECK(cudaEventCreate(&fork));
    int *memory;
    CHECK(cudaMalloc(&memory, 16));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork, 0));
    CHECK(cudaMemsetAsync(memory, 2, 16, second));
    cudaGraph_t graph = nullptr;
    std::printf("unjoined %s\n", cudaGetErrorName(cudaStreamEndCapture(first, &graph)));
    cudaGetLastError();
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    std::printf("waited for %s", cudaGetErrorName(cudaStreamSynchronize(first)));
    std::printf(", then %s\n", cudaGetErrorName(cudaStreamEndCapture(first, &graph)));
    cudaGetLastError();
    std::printf("default stream %s\n", cudaGetErrorName(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)));
    cudaGetLastError();
}

// Memory of a graph: it may be freed elsewhere, and is there again at the next launch.
static void memory() {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int *kept, *gone, first = 0, second = 0;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&kept, 16, stream));
    CHECK(cudaMallocAsync(&gone, 16, stream));
    CHECK(cudaMemsetAsync(gone, 1, 16, stream));
    CHECK(cudaMemcpyAsync(kept, gone, 16, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaFreeAsync(gone, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
    add<<<1, 4, 0, stream>>>(kept, kept);
    CHECK(cudaMemcpy(&first, kept, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(kept));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaMemcpyAsync(&second, kept, 4, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(kept, stream));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("memory %x %x\n", first, second);
}

int main() {
    nodes();
    captured();
    unfinished();
    memory();
}
