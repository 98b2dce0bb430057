// Arrays, textures and surfaces: every way in and out of an array, and what the units make of the texels.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t error = call;                                                                   \
        if (error != cudaSuccess) std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(error)); \
    } while (0)

template <class T> __global__ void plane(cudaTextureObject_t texture, int width, int height, T *result) {
    int x = threadIdx.x, y = threadIdx.y;
    result[y * width + x] = tex2D<T>(texture, x + 0.5f, y + 0.5f);
}
__global__ void blend(cudaTextureObject_t texture, float *result) { *result = tex2D<float>(texture, 1.0f, 1.0f); }
__global__ void outside(cudaTextureObject_t texture, float *result) {
    result[threadIdx.x] = tex2D<float>(texture, ((int)threadIdx.x - 4) / 4.0f + 0.125f, 0.1f);
}
__global__ void linear(cudaTextureObject_t texture, int *result) { result[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); }
__global__ void volume(cudaTextureObject_t texture, short2 *result) {
    int i = threadIdx.x;
    result[i] = tex3D<short2>(texture, i % 2 + 0.5f, i / 2 % 2 + 0.5f, i / 4 + 0.5f);
}
__global__ void layers(cudaTextureObject_t texture, float *result) {
    int i = threadIdx.x;
    result[i] = tex2DLayered<float>(texture, i % 2 + 0.5f, i / 2 % 2 + 0.5f, i / 4);
}
__global__ void cube(cudaTextureObject_t texture, float *result) {
    const float3 to[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    float3 face = to[threadIdx.x];
    result[threadIdx.x] = texCubemap<float>(texture, face.x, face.y, face.z);
}
__global__ void negate(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x, y = threadIdx.y;
    int value = surf2Dread<int>(from, x * 4, y);
    surf2Dwrite(-value, to, x * 4, y);
}
__global__ void level(cudaTextureObject_t texture, float *result) { result[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, threadIdx.x); }

template <class T> struct Managed {
    T *at;
    explicit Managed(size_t count) { CHECK(cudaMallocManaged(&at, count * sizeof(T))); }
    ~Managed() { CHECK(cudaFree(at)); }
};

static cudaTextureObject_t texture_of(cudaResourceDesc resource, bool normalised = false, cudaTextureFilterMode filter = cudaFilterModePoint,
                                      cudaTextureReadMode mode = cudaReadModeElementType, cudaTextureAddressMode address = cudaAddressModeClamp) {
    cudaTextureDesc description = {};
    for (auto &mode : description.addressMode) mode = address;
    description.filterMode = filter;
    description.readMode = mode;
    description.normalizedCoords = normalised;
    description.maxMipmapLevelClamp = 8;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}
static cudaResourceDesc of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void planes() {
    std::vector<float> texels(12);
    for (int i = 0; i < 12; ++i) texels[i] = i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), found;
    cudaExtent extent;
    unsigned flags;
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 4, 3));
    CHECK(cudaArrayGetInfo(&found, &extent, &flags, array));
    std::printf("array %zu %zu %zu of %d %d\n", extent.width, extent.height, extent.depth, found.x, found.f);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 16, 16, 3, cudaMemcpyHostToDevice));
    Managed<float> result(16);
    cudaTextureObject_t texture = texture_of(of(array));
    plane<<<1, dim3(4, 3)>>>(texture, 4, 3, result.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("plane %g %g %g %g\n", result.at[0], result.at[3], result.at[4], result.at[11]);
    CHECK(cudaDestroyTextureObject(texture));
    texture = texture_of(of(array), false, cudaFilterModeLinear);
    blend<<<1, 1>>>(texture, result.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("blend %g\n", result.at[0]);
    CHECK(cudaDestroyTextureObject(texture));
    for (auto mode : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder}) {
        texture = texture_of(of(array), true, cudaFilterModePoint, cudaReadModeElementType, mode);
        outside<<<1, 12>>>(texture, result.at);
        CHECK(cudaDeviceSynchronize());
        std::printf("address %d:", mode);
        for (int i = 0; i < 12; ++i) std::printf(" %g", result.at[i]);
        std::printf("\n");
        CHECK(cudaDestroyTextureObject(texture));
    }
    // Parts, and bytes that go on from row to row.
    float part[2] = {100, 101}, back[12] = {}, run[6] = {};
    CHECK(cudaMemcpy2DToArray(array, 4, 1, part, 8, 8, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(back, 16, array, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
    std::printf("part %g %g %g %g\n", back[4], back[5], back[6], back[7]);
    CHECK(cudaMemcpyFromArray(run, array, 8, 0, 24, cudaMemcpyDeviceToHost));
    std::printf("run %g %g %g %g %g %g\n", run[0], run[1], run[2], run[3], run[4], run[5]);
    std::printf("outside %s\n", cudaGetErrorName(cudaMemcpy2DToArray(array, 12, 0, part, 8, 8, 1, cudaMemcpyHostToDevice)));
    cudaGetLastError();
    CHECK(cudaFreeArray(array));
}

static void formats() {
    unsigned char bytes[8] = {0, 51, 102, 153, 204, 255, 1, 2};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 2, 1));
    CHECK(cudaMemcpyToArray(array, 0, 0, bytes, 8, cudaMemcpyHostToDevice));
    Managed<uchar4> whole(2);
    Managed<float4> fractions(2);
    cudaTextureObject_t texture = texture_of(of(array)), normal = texture_of(of(array), false, cudaFilterModePoint, cudaReadModeNormalizedFloat);
    plane<<<1, 2>>>(texture, 2, 1, whole.at);
    plane<<<1, 2>>>(normal, 2, 1, fractions.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("bytes %d %d, fractions %g %g %g\n", whole.at[1].x, whole.at[1].y, fractions.at[0].y, fractions.at[0].w, fractions.at[1].y);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroyTextureObject(normal));
    CHECK(cudaFreeArray(array));
    cudaChannelFormatDesc wrong = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    std::printf("three channels %s\n", cudaGetErrorName(cudaMallocArray(&array, &wrong, 2, 1)));
    cudaGetLastError();
}

static void lines() {
    int numbers[6] = {3, 1, 4, 1, 5, 9}, *memory;
    CHECK(cudaMalloc(&memory, sizeof numbers));
    CHECK(cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof numbers;
    cudaTextureObject_t texture = texture_of(resource);
    Managed<int> result(8);
    linear<<<1, 8>>>(texture, result.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("linear %d %d %d, behind %d\n", result.at[0], result.at[4], result.at[5], result.at[6]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    float *rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, 8, 2));
    float texels[4] = {1, 2, 3, 4};
    CHECK(cudaMemcpy2D(rows, pitch, texels, 8, 8, 2, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 2;
    resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = pitch;
    texture = texture_of(resource, false, cudaFilterModeLinear);
    Managed<float> mean(1);
    blend<<<1, 1>>>(texture, mean.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("pitched %g\n", *mean.at);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(rows));
}

static cudaArray_t filled(cudaChannelFormatDesc format, cudaExtent extent, void *from, size_t row, unsigned flags) {
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(from, row, extent.width, extent.height);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static void volumes() {
    short2 texels[8];
    for (short i = 0; i < 8; ++i) texels[i] = make_short2(i, -i);
    cudaArray_t array = filled(cudaCreateChannelDesc<short2>(), make_cudaExtent(2, 2, 2), texels, 8, cudaArrayDefault);
    cudaTextureObject_t texture = texture_of(of(array));
    Managed<short2> found(8);
    volume<<<1, 8>>>(texture, found.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("volume %d %d %d %d\n", found.at[3].x, found.at[3].y, found.at[7].x, found.at[7].y);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    float values[24];
    for (int i = 0; i < 24; ++i) values[i] = i;
    Managed<float> result(12);
    array = filled(cudaCreateChannelDesc<float>(), make_cudaExtent(2, 2, 3), values, 8, cudaArrayLayered);
    texture = texture_of(of(array));
    layers<<<1, 12>>>(texture, result.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("layers %g %g %g\n", result.at[1], result.at[6], result.at[11]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    array = filled(cudaCreateChannelDesc<float>(), make_cudaExtent(1, 1, 6), values, 4, cudaArrayCubemap);
    texture = texture_of(of(array), true);
    cube<<<1, 6>>>(texture, result.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("cube %g %g %g %g %g %g\n", result.at[0], result.at[1], result.at[2], result.at[3], result.at[4], result.at[5]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

static void surfaces() {
    int texels[4] = {1, 2, 3, 4};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t from, to;
    CHECK(cudaMallocArray(&from, &format, 2, 2, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&to, &format, 2, 2, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(from, 0, 0, texels, 8, 8, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc resources[2] = {of(from), of(to)};
    cudaSurfaceObject_t surfaces[2];
    for (int i = 0; i < 2; ++i) CHECK(cudaCreateSurfaceObject(&surfaces[i], &resources[i]));
    negate<<<1, dim3(2, 2)>>>(surfaces[0], surfaces[1]);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy2DArrayToArray(from, 0, 0, to, 0, 1, 8, 1));
    CHECK(cudaMemcpy2DFromArray(texels, 8, from, 0, 0, 8, 2, cudaMemcpyDeviceToHost));
    std::printf("surface %d %d %d %d\n", texels[0], texels[1], texels[2], texels[3]);
    for (int i = 0; i < 2; ++i) CHECK(cudaDestroySurfaceObject(surfaces[i]));
    CHECK(cudaFreeArray(from));
    CHECK(cudaFreeArray(to));
}

static void levels() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t array;
    CHECK(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(4, 4, 0), 3));
    for (unsigned i = 0; i < 3; ++i) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, array, i));
        std::vector<float> texels(16, 10.0f + i);
        CHECK(cudaMemcpy2DToArray(level, 0, 0, texels.data(), 16 >> i, 16 >> i, 4 >> i, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    cudaTextureObject_t texture = texture_of(resource, true);
    Managed<float> result(4);
    level<<<1, 4>>>(texture, result.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("levels %g %g %g %g\n", result.at[0], result.at[1], result.at[2], result.at[3]);
    CHECK(cudaDestroyTextureObject(texture));
    cudaArray_t one;
    CHECK(cudaGetMipmappedArrayLevel(&one, array, 1));
    texture = texture_of(of(one), true);
    level<<<1, 4>>>(texture, result.at);
    CHECK(cudaDeviceSynchronize());
    std::printf("one level %g %g\n", result.at[0], result.at[3]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeMipmappedArray(array));
}

int main() {
    planes();
    formats();
    lines();
    volumes();
    surfaces();
    levels();
}
