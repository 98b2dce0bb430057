// Graphs whose kernels decide what comes next: a choice, a loop, a switch; and nodes of any type.
#include <cstdio>
__global__ void decide(const int *data, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *data); }
__global__ void count(int *data, cudaGraphConditionalHandle handle) {
    if (--*data == 0) cudaGraphSetConditional(handle, 0);
}
__global__ void say(int what, const int *data) { printf("%d: %d\n", what, *data); }

// A kernel's node.
template <class... A> cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t *after, void (*function)(A...), A... arguments) {
    void *list[] = {&arguments...};
    cudaGraphNodeParams node = {cudaGraphNodeTypeKernel};
    node.kernel.func = (void *)function;
    node.kernel.gridDim = node.kernel.blockDim = dim3(1);
    node.kernel.kernelParams = list;
    cudaGraphNode_t made = nullptr;
    if (cudaGraphAddNode(&made, graph, after, nullptr, after ? 1 : 0, &node)) printf("no kernel\n");
    return made;
}
static cudaGraph_t *choice(cudaGraph_t graph, cudaGraphNode_t *after, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
    node.conditional.handle = handle;
    node.conditional.type = type;
    node.conditional.size = size;
    cudaGraphNode_t made;
    if (cudaGraphAddNode(&made, graph, after, nullptr, after ? 1 : 0, &node)) return nullptr;
    return node.conditional.phGraph_out;
}
static void launch(cudaGraph_t graph, int *data, int value) {
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph);
    cudaMemcpy(data, &value, sizeof value, cudaMemcpyHostToDevice);
    printf("%s\n", cudaGetErrorName(cudaGraphLaunch(executable, 0)));
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(executable);
}
int main() {
    int *data;
    cudaMalloc(&data, sizeof(int));
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&handle, graph);
    cudaGraphNode_t first = kernel(graph, nullptr, decide, (const int *)data, handle);
    cudaGraph_t *bodies = choice(graph, &first, handle, cudaGraphCondTypeIf, 2);
    kernel(bodies[0], nullptr, say, 1, (const int *)data);
    kernel(bodies[1], nullptr, say, 2, (const int *)data);
    launch(graph, data, 7);
    launch(graph, data, 0);
    cudaGraph_t copy;
    printf("copied %s\n", cudaGetErrorName(cudaGraphClone(&copy, graph)));

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
    bodies = choice(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    say<<<1, 1, 0, stream>>>(3, data);
    count<<<1, 1, 0, stream>>>(data, handle);
    cudaStreamEndCapture(stream, nullptr);
    launch(graph, data, 3);
    launch(graph, data, 1);

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&handle, graph, 2, cudaGraphCondAssignDefault);
    bodies = choice(graph, nullptr, handle, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; i++) {
        cudaGraphNodeParams node = {cudaGraphNodeTypeMemset};
        node.memset.dst = data;
        node.memset.value = 10 * i;
        node.memset.elementSize = 4;
        node.memset.width = node.memset.height = 1;
        cudaGraphNode_t made;
        if (cudaGraphAddNode(&made, bodies[i], nullptr, nullptr, 0, &node)) printf("no node\n");
        kernel(bodies[i], &made, say, 4, (const int *)data);
    }
    launch(graph, data, 0);
    printf("loop of two %d\n", choice(graph, nullptr, handle, cudaGraphCondTypeWhile, 2) != nullptr);
}
