// What programs ask of graphs and change in them: edges, nodes that are switched off, events, objects that live as long as a graph.
#include <cstdio>

#define CHECK(call) do { cudaError_t error = (call); if (error != cudaSuccess) { std::printf("%s: %s\n", #call, cudaGetErrorName(error)); return 1; } } while (0)

__global__ void add(int *word, int value) { *word += value; }

void destroyed(void *data) { std::printf("destroyed %d\n", *static_cast<int *>(data)); }

int main() {
    int *word, host = 0;
    CHECK(cudaMallocManaged(&word, sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));

    // fill -> first -> second, and fill -> second.
    cudaMemsetParams fill = {};
    fill.dst = word, fill.elementSize = 4, fill.width = 1, fill.height = 1, fill.value = 100;
    cudaGraphNode_t nodes[3];
    CHECK(cudaGraphAddMemsetNode(&nodes[0], graph, nullptr, 0, &fill));
    for (int i = 1; i < 3; ++i) {
        int value = i == 1 ? 10 : 1;
        void *arguments[] = {&word, &value};
        cudaKernelNodeParams kernel = {};
        kernel.func = reinterpret_cast<void *>(add), kernel.gridDim = kernel.blockDim = dim3(1), kernel.kernelParams = arguments;
        CHECK(cudaGraphAddKernelNode(&nodes[i], graph, nodes, i, &kernel));
    }

    cudaGraphNode_t from[4], to[4];
    cudaGraphEdgeData data[4];
    size_t count = 4;
    CHECK(cudaGraphGetEdges(graph, from, to, data, &count));
    std::printf("%zu edges, of type %d\n", count, data[0].type);
    CHECK(cudaGraphNodeGetDependentNodes(nodes[0], nullptr, nullptr, &count));
    std::printf("%zu after the first\n", count);
    CHECK(cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[2], nullptr, 1));
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    std::printf("%zu edges\n", count);
    cudaMemsetParams asked;
    CHECK(cudaGraphMemsetNodeGetParams(nodes[0], &asked));
    std::printf("fill of %u\n", asked.value);

    // The graph gets the only reference, and what is made of it another one.
    int number = 7;
    cudaUserObject_t object;
    CHECK(cudaUserObjectCreate(&object, &number, destroyed, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    cudaGraphInstantiateParams parameters = {};
    parameters.flags = cudaGraphInstantiateFlagAutoFreeOnLaunch;
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiateWithParams(&executable, graph, &parameters));
    unsigned long long flags;
    CHECK(cudaGraphExecGetFlags(executable, &flags));
    std::printf("result %d, flags %llu\n", parameters.result_out, flags);
    CHECK(cudaGraphDestroy(graph));

    for (unsigned on = 0; on < 2; ++on) {
        CHECK(cudaGraphNodeSetEnabled(executable, nodes[1], on));
        CHECK(cudaGraphLaunch(executable, 0));
        CHECK(cudaDeviceSynchronize());
        host = *word;
        std::printf("%d\n", host);
    }
    CHECK(cudaGraphExecDestroy(executable));
    return 0;
}
