// Virtual memory: memory that is mapped where the program wants it, also twice; and what graphs hold.
#include <cstdio>
#include <cuda.h>
__global__ void count(int *data, int first, int length) {
    for (int i = threadIdx.x; i < length; i += blockDim.x) data[first + i] = first + i;
}
static const char *name(CUresult result) {
    const char *text;
    return cuGetErrorName(result, &text) ? "?" : text;
}
static int at(CUdeviceptr address) {
    int value = -1;
    CUresult result = cuMemcpyDtoH(&value, address, sizeof value);
    if (result) printf("(%s) ", name(result));
    return value;
}
int main() {
    cudaFree(nullptr);
    int supported;
    cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 0);
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t piece;
    cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    CUmemGenericAllocationHandle first, second;
    cuMemCreate(&first, piece, &properties, 0);
    cuMemCreate(&second, piece, &properties, 0);
    CUdeviceptr range;
    cuMemAddressReserve(&range, 3 * piece, 0, 0, 0);
    printf("%d %zu, outside %s\n", supported, piece >> 20, name(cuMemMap(range + 3 * piece, piece, 0, first, 0)));
    cuMemMap(range, piece, 0, first, 0);
    cuMemMap(range + piece, piece, 0, second, 0);
    printf("taken %s, not open %d\n", name(cuMemMap(range, piece, 0, second, 0)), at(range));
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    printf("%s\n", name(cuMemSetAccess(range, 2 * piece, &access, 1)));
    int words = piece / sizeof(int);
    count<<<1, 32>>>((int *)range, words - 8, 16);
    printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), at(range + piece - 4) == words - 1 && at(range + piece) == words);
    // The second half comes first, in another place.
    cuMemMap(range + 2 * piece, piece, 0, second, 0);
    cuMemSetAccess(range + 2 * piece, piece, &access, 1);
    count<<<1, 1>>>((int *)(range + 2 * piece), 3, 1);
    printf("both %d %d\n", at(range + piece + 12), at(range + 2 * piece + 28) == words + 7);
    cuMemRelease(first);
    cuMemRelease(second);
    printf("%s, there %d\n", name(cuMemUnmap(range, piece)), at(range + piece + 12));
    printf("still mapped %s\n", name(cuMemAddressFree(range, 3 * piece)));
    printf("%s\n", name(cuMemUnmap(range + piece, 2 * piece)));
    printf("%s\n", name(cuMemAddressFree(range, 3 * piece)));
    printf("gone %s\n", name(cuMemRelease(first)));

    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams allocation = {};
    allocation.poolProps.allocType = cudaMemAllocationTypePinned;
    allocation.poolProps.location.type = cudaMemLocationTypeDevice;
    allocation.bytesize = 1 << 20;
    cudaGraphNode_t node;
    cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &allocation);
    unsigned long long used;
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used);
    printf("graphs %llu\n", used >> 10);
}
