// Cooperative groups: tiles of eight threads, coalesced threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(const int *in, int *sums, int *ranks) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int value = in[block.thread_rank()];
    int sum = cg::reduce(tile, value, cg::plus<int>());
    if (tile.thread_rank() == 0) sums[block.thread_rank() / 8] = sum;
    int rank = -1;
    if (value % 3 == 0) {
        auto active = cg::coalesced_threads();
        rank = active.thread_rank() * 100 + active.size();
    }
    block.sync();
    ranks[block.thread_rank()] = rank;
}
