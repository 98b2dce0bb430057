// Functions of headers that are in more than one unit, and tiles of more than a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__device__ int other(int value);
__global__ void tiles(int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int value = other(block.thread_rank());
    for (int i = 0; i < 3; i++) {
        int sum = cg::reduce(tile, value, cg::plus<int>());
        if (tile.thread_rank() == i) out[4 * i + tile.meta_group_rank()] = sum + i;
    }
    double given = tile.shfl(value / 2.0, 33);
    auto wide = cg::tiled_partition<128>(block);
    int any = wide.any(value == 128), all = wide.all(value < 128);
    tile.sync();
    if (tile.thread_rank() == 63) out[12 + tile.meta_group_rank()] = (int)given * 100 + any * 10 + all;
}
int main() {
    int *out, host[16];
    cudaMalloc(&out, sizeof host);
    tiles<<<1, 256>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++) printf("%d%c", host[i], i % 4 == 3 ? '\n' : ' ');
}
