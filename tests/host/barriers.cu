// Barriers of cuda/barrier and pipelines of cuda/pipeline, in shared memory and in global memory.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// Halves of a block hand values to each other.
__global__ void exchange(int *result) {
    __shared__ block_barrier there, back;
    __shared__ int values[64];
    if (threadIdx.x == 0) {
        init(&there, blockDim.x);
        init(&back, blockDim.x);
    }
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        values[threadIdx.x] = threadIdx.x * 10 + round;
        auto token = there.arrive();
        there.wait(static_cast<decltype(token) &&>(token));
        result[threadIdx.x] += values[63 - threadIdx.x];
        back.arrive_and_wait();
    }
}

// Threads that leave are not waited for.
__global__ void leave(int *result) {
    __shared__ block_barrier barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    if (threadIdx.x >= 40) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    atomicAdd(result, 1);
    barrier.arrive_and_wait();
    if (threadIdx.x == 0) atomicAdd(result, 100);
}

// A barrier of all blocks.
__global__ void together(cuda::barrier<cuda::thread_scope_device> *barrier, int *values, int *result) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
    values[thread] = thread;
    barrier->arrive_and_wait();
    result[thread] = values[count - 1 - thread];
}
__global__ void prepare(cuda::barrier<cuda::thread_scope_device> *barrier, int count) { init(barrier, count); }

// Copies that arrive at a barrier.
__global__ void arriving(const int4 *from, int *result) {
    __shared__ block_barrier barrier;
    __shared__ int4 values[32];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&values[threadIdx.x], &from[threadIdx.x], cuda::aligned_size_t<16>(16), barrier);
    barrier.arrive_and_wait();
    result[threadIdx.x] = values[31 - threadIdx.x].z;
}

// Stages of a thread.
__global__ void staged(const int *from, int *result, int count) {
    __shared__ int values[3][32];
    auto pipe = cuda::make_pipeline();
    int sum = 0, next = 0;
    for (int i = 0; i < count; ++i) {
        for (; next < count && next < i + 3; ++next) {
            pipe.producer_acquire();
            cuda::memcpy_async(&values[next % 3][threadIdx.x], &from[next * 32 + threadIdx.x], sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        sum += values[i % 3][31 - threadIdx.x];
        __syncthreads();
        pipe.consumer_release();
    }
    result[threadIdx.x] = sum;
}

// Stages of a block: one warp fills, the other one empties.
__global__ void shared_stages(const int *from, int *result, int count) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int values[2][32];
    auto block = cg::this_thread_block();
    bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&values[i % 2][threadIdx.x], &from[i * 32 + threadIdx.x], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += values[i % 2][63 - threadIdx.x];
            pipe.consumer_release();
        }
    }
    if (!produces) result[threadIdx.x - 32] = sum;
}

int main() {
    int *from, *result;
    cudaMallocManaged(&from, 4096);
    cudaMallocManaged(&result, 4096);
    for (int i = 0; i < 1024; ++i) from[i] = i;
    auto clear = [&] {
        cudaDeviceSynchronize();
        for (int i = 0; i < 1024; ++i) result[i] = 0;
    };
    clear();
    exchange<<<1, 64>>>(result);
    cudaDeviceSynchronize();
    std::printf("exchange %d %d\n", result[0], result[63]);
    clear();
    leave<<<1, 64>>>(result);
    cudaDeviceSynchronize();
    std::printf("leave %d\n", result[0]);
    clear();
    cuda::barrier<cuda::thread_scope_device> *barrier;
    int *values;
    cudaMalloc((void **)&barrier, sizeof *barrier);
    cudaMalloc(&values, 4096);
    prepare<<<1, 1>>>(barrier, 128);
    void *arguments[] = {&barrier, &values, &result};
    cudaLaunchCooperativeKernel(together, dim3(4), dim3(32), arguments);
    cudaDeviceSynchronize();
    std::printf("together %d %d\n", result[0], result[127]);
    clear();
    arriving<<<1, 32>>>((const int4 *)from, result);
    cudaDeviceSynchronize();
    std::printf("arriving %d %d\n", result[0], result[31]);
    clear();
    staged<<<1, 32>>>(from, result, 7);
    cudaDeviceSynchronize();
    std::printf("staged %d %d\n", result[0], result[31]);
    clear();
    shared_stages<<<1, 64>>>(from, result, 7);
    std::printf("shared stages %d", cudaDeviceSynchronize());
    std::printf(" %d %d\n", result[0], result[31]);
}
