// Groups of threads as objects.
#pragma once

namespace cooperative_groups {

class thread_block;
class coalesced_group;
class thread_group;
template <unsigned size, class Parent = void> class thread_block_tile;

namespace __warpsmith {
__device__ __forceinline__ unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ __forceinline__ unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
template <class T, unsigned words> struct pieces {
    unsigned word[words];
};
// Any object moves between threads word by word.
template <class T, class F> __device__ __forceinline__ T shuffled(const T &value, F shuffle) {
    constexpr unsigned words = (sizeof(T) + 3) / 4;
    unsigned word[words] = {};
    memcpy(word, &value, sizeof(T));
    for (unsigned i = 0; i < words; ++i) word[i] = shuffle(word[i]);
    T result;
    memcpy(&result, word, sizeof(T));
    return result;
}
}

// All threads of a block.
class thread_block {
  public:
    __device__ static void sync() { __syncthreads(); }
    __device__ static unsigned thread_rank() { return __warpsmith::rank_in_block(); }
    __device__ static unsigned num_threads() { return __warpsmith::block_size(); }
    __device__ static unsigned size() { return __warpsmith::block_size(); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }

// One thread.
class thread_group_of_one {
  public:
    __device__ static void sync() {}
    __device__ static unsigned thread_rank() { return 0; }
    __device__ static unsigned num_threads() { return 1; }
    __device__ static unsigned size() { return 1; }
};
__device__ __forceinline__ thread_group_of_one this_thread() { return thread_group_of_one(); }

// All threads of a grid. Its blocks wait for each other if the launch was a cooperative one: the driver then gives them a workspace, whose address is in two
// special registers and whose second word is a barrier. Every arrival adds 1, that of the first block as much more as turns the top bit when all have
// arrived; the others wait for that.
class grid_group {
    __device__ static unsigned *barrier() {
        unsigned low, high;
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        return (unsigned *)((unsigned long long)high << 32 | low);
    }
    __device__ static bool is_first_thread() { return (threadIdx.x | threadIdx.y | threadIdx.z) == 0; }
    __device__ static void wait(unsigned before) {
        unsigned now;
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier() + 1) : "memory");
        } while ((int)(now ^ before) >= 0);
    }

  public:
    struct arrival_token {
        unsigned before;
    };
    __device__ static bool is_valid() { return barrier() != nullptr; }
    __device__ static arrival_token barrier_arrive() {
        if (!is_valid()) __trap();
        __syncthreads();
        arrival_token token = {0};
        if (is_first_thread()) {
            unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            bool is_first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
            unsigned more = is_first ? 0x80000000u - (blocks - 1) : 1;
            asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(token.before) : "l"(barrier() + 1), "r"(more) : "memory");
        }
        return token;
    }
    __device__ static void barrier_wait(arrival_token &&token) {
        if (is_first_thread()) wait(token.before);
        __syncthreads();
    }
    __device__ static void sync() { barrier_wait(barrier_arrive()); }
    __device__ static unsigned long long thread_rank() {
        unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * __warpsmith::block_size() + __warpsmith::rank_in_block();
    }
    __device__ static unsigned long long num_threads() { return num_blocks() * __warpsmith::block_size(); }
    __device__ static unsigned long long size() { return num_threads(); }
    __device__ static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __device__ static unsigned long long block_rank() { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    __device__ static dim3 group_dim() { return gridDim; }
    __device__ static dim3 dim_blocks() { return gridDim; }
    __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__device__ __forceinline__ grid_group this_grid() { return grid_group(); }

#if __CUDA_ARCH__ >= 900
// The blocks of a cluster.
class cluster_group {
  public:
    __device__ static void sync() {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    __device__ static void barrier_arrive() { __cluster_barrier_arrive(); }
    __device__ static void barrier_wait() { __cluster_barrier_wait(); }
    __device__ static unsigned block_rank() { return __clusterRelativeBlockRank(); }
    __device__ static unsigned num_blocks() { return __clusterSizeInBlocks(); }
    __device__ static unsigned thread_rank() { return block_rank() * __warpsmith::block_size() + __warpsmith::rank_in_block(); }
    __device__ static unsigned num_threads() { return num_blocks() * __warpsmith::block_size(); }
    __device__ static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    __device__ static dim3 dim_blocks() { return __clusterDim(); }
    template <class T> __device__ static T *map_shared_rank(T *address, int rank) {
        T *result;
        asm("mapa.u64 %0, %1, %2;" : "=l"(result) : "l"(address), "r"(rank));
        return result;
    }
};
__device__ __forceinline__ cluster_group this_cluster() { return cluster_group(); }
#endif

// Neighbouring threads of a warp, a power of two of them.
template <unsigned count, bool is_wide = count / 33 != 0> class __warpsmith_tile {
    static_assert(count >= 1 && (count & (count - 1)) == 0, "a tile has a power of two of threads");

  public:
    // The lanes of the warp that are in the tile.
    __device__ static unsigned mask() {
        if (count == 32) return 0xffffffffu;
        return ((1u << (count & 31)) - 1u) << (__warpsmith::lane() & ~(count - 1u));
    }

  protected:
    // Bits of a warp as bits of the tile.
    __device__ static unsigned own(unsigned bits) {
        if (count == 32) return bits;
        return (bits & mask()) >> (__warpsmith::lane() & ~(count - 1u));
    }

  public:
    __device__ static void sync() { __syncwarp(mask()); }
    __device__ static unsigned thread_rank() { return __warpsmith::lane() & (count - 1u); }
    __device__ static constexpr unsigned num_threads() { return count; }
    __device__ static constexpr unsigned size() { return count; }
    __device__ static unsigned meta_group_rank() { return __warpsmith::rank_in_block() / count; }
    __device__ static unsigned meta_group_size() { return (__warpsmith::block_size() + count - 1) / count; }

    template <class T> __device__ static T shfl(const T &value, int rank) {
        return __warpsmith::shuffled(value, [=](unsigned word) { return __shfl_sync(mask(), word, rank, (int)count); });
    }
    template <class T> __device__ static T shfl_down(const T &value, unsigned delta) {
        return __warpsmith::shuffled(value, [=](unsigned word) { return __shfl_down_sync(mask(), word, delta, (int)count); });
    }
    template <class T> __device__ static T shfl_up(const T &value, unsigned delta) {
        return __warpsmith::shuffled(value, [=](unsigned word) { return __shfl_up_sync(mask(), word, delta, (int)count); });
    }
    template <class T> __device__ static T shfl_xor(const T &value, unsigned bits) {
        return __warpsmith::shuffled(value, [=](unsigned word) { return __shfl_xor_sync(mask(), word, (int)bits, (int)count); });
    }
    __device__ static int any(int predicate) { return own(__ballot_sync(mask(), predicate)) != 0; }
    __device__ static int all(int predicate) { return own(__ballot_sync(mask(), !predicate)) == 0; }
    __device__ static unsigned ballot(int predicate) { return own(__ballot_sync(mask(), predicate)); }
    template <class T> __device__ static unsigned match_any(T value) { return own(__match_any_sync(mask(), value)); }
    template <class T> __device__ static unsigned match_all(T value, int &predicate) { return own(__match_all_sync(mask(), value, &predicate)); }
};

// Whole neighbouring warps of a block, which meet in shared memory: each tile has a count of the warps that have arrived, and a word that is passed on.
template <unsigned count> class __warpsmith_tile<count, true> {
    static_assert(count <= 1024 && (count & (count - 1)) == 0, "a tile has 64, 128, 256, 512 or 1024 threads of a block, or a power of two in a warp");
    struct meeting {
        unsigned arrived, word;
    };
    __device__ static meeting *meetings() {
        __shared__ meeting places[1024 / count];
        return places;
    }
    __device__ static meeting &own() { return meetings()[meta_group_rank()]; }

  public:
    // By all threads of the block, before anything else.
    __device__ static void begin() {
        __syncthreads();
        if (__warpsmith::rank_in_block() < 1024 / count) meetings()[__warpsmith::rank_in_block()] = meeting{0, 0};
        __syncthreads();
    }
    __device__ static void sync() {
        __threadfence_block();
        __syncwarp();
        if (__warpsmith::lane() == 0) {
            unsigned all = atomicAdd(&own().arrived, 1u) / (count / 32) * (count / 32) + count / 32;
            while ((int)(*(volatile unsigned *)&own().arrived - all) < 0) {}
        }
        __syncwarp();
        __threadfence_block();
    }
    __device__ static unsigned thread_rank() { return __warpsmith::rank_in_block() & (count - 1u); }
    __device__ static constexpr unsigned num_threads() { return count; }
    __device__ static constexpr unsigned size() { return count; }
    __device__ static unsigned meta_group_rank() { return __warpsmith::rank_in_block() / count; }
    __device__ static unsigned meta_group_size() { return (__warpsmith::block_size() + count - 1) / count; }

    // The value of one thread, for all.
    template <class T> __device__ static T shfl(const T &value, int rank) {
        return __warpsmith::shuffled(value, [=](unsigned word) {
            if (thread_rank() == (unsigned)rank) own().word = word;
            sync();
            word = *(volatile unsigned *)&own().word;
            sync();
            return word;
        });
    }
    __device__ static int any(int predicate) { return !all(!predicate); }
    __device__ static int all(int predicate) {
        int result = 1, of_warp = __all_sync(0xffffffffu, predicate);
        for (int rank = 0; rank < (int)count; rank += 32) result &= shfl(of_warp, rank);
        return result;
    }
};
template <unsigned count, class Parent> class thread_block_tile : public __warpsmith_tile<count> {
  public:
    __device__ thread_block_tile() {}
    // Whatever it is a part of.
    template <class Other> __device__ thread_block_tile(const thread_block_tile<count, Other> &) {}
};

template <unsigned count, class Parent> __device__ __forceinline__ thread_block_tile<count, Parent> tiled_partition(const Parent &) {
    if constexpr (count > 32) thread_block_tile<count, Parent>::begin();
    return thread_block_tile<count, Parent>();
}

// What a program sets aside for tiles of more than a warp; they have memory of their own.
template <unsigned threads = 1024> struct block_tile_memory {
    unsigned unused;
};
template <unsigned threads> __device__ __forceinline__ thread_block this_thread_block(block_tile_memory<threads> &) { return thread_block(); }

// Threads of a warp that are together at some point.
class coalesced_group {
    unsigned members, rank_of_group = 0, groups = 1;
    friend class thread_group;

    // The lane of a rank.
    __device__ unsigned lane_of(unsigned rank) const { return __fns(members, 0, (int)rank + 1); }
    // Bits of a warp as bits of the group.
    __device__ unsigned packed(unsigned bits) const {
        unsigned result = 0, rank = 0;
        for (unsigned rest = members; rest != 0; rest &= rest - 1, ++rank)
            if (bits & rest & (0u - rest)) result |= 1u << rank;
        return result;
    }

  public:
    __device__ explicit coalesced_group(unsigned mask) : members(mask) {}
    // One of the groups that another was divided into.
    __device__ coalesced_group(unsigned mask, unsigned rank, unsigned count) : members(mask), rank_of_group(rank), groups(count) {}
    // The lanes of the warp that are in the group.
    __device__ unsigned mask() const { return members; }
    __device__ void sync() const { __syncwarp(members); }
    __device__ unsigned num_threads() const { return (unsigned)__popc(members); }
    __device__ unsigned size() const { return (unsigned)__popc(members); }
    __device__ unsigned thread_rank() const { return (unsigned)__popc(members & __nvvm_read_ptx_sreg_lanemask_lt()); }
    __device__ unsigned meta_group_rank() const { return rank_of_group; }
    __device__ unsigned meta_group_size() const { return groups; }
    template <class T> __device__ T shfl(const T &value, unsigned rank) const {
        unsigned mask = members, from = lane_of(rank % num_threads());
        return __warpsmith::shuffled(value, [=](unsigned word) { return __shfl_sync(mask, word, (int)from); });
    }
    template <class T> __device__ T shfl_down(const T &value, unsigned delta) const {
        unsigned rank = thread_rank() + delta;
        return shfl(value, rank < num_threads() ? rank : thread_rank());
    }
    template <class T> __device__ T shfl_up(const T &value, unsigned delta) const {
        unsigned rank = thread_rank();
        return shfl(value, rank >= delta ? rank - delta : rank);
    }
    template <class T> __device__ T shfl_xor(const T &value, unsigned bits) const {
        unsigned rank = thread_rank() ^ bits;
        return shfl(value, rank < num_threads() ? rank : thread_rank());
    }
    __device__ int any(int predicate) const { return __any_sync(members, predicate); }
    __device__ int all(int predicate) const { return __all_sync(members, predicate); }
    __device__ unsigned ballot(int predicate) const { return packed(__ballot_sync(members, predicate)); }
    template <class T> __device__ unsigned match_any(T value) const { return packed(__match_any_sync(members, value)); }
    template <class T> __device__ unsigned match_all(T value, int &predicate) const { return packed(__match_all_sync(members, value, &predicate)); }
};
__device__ __forceinline__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// The threads of a tile or a group of a warp whose predicate is the same.
template <class G> __device__ __forceinline__ coalesced_group binary_partition(const G &group, bool predicate) {
    unsigned all = group.mask(), set = __ballot_sync(all, predicate);
    return coalesced_group(predicate ? set : all & ~set, predicate, 2);
}
// The threads of a tile or a group of a warp whose label is the same. Groups are counted by their first threads.
template <class G, class T> __device__ __forceinline__ coalesced_group labeled_partition(const G &group, T label) {
    unsigned all = group.mask(), same = __match_any_sync(all, label), first = same & (0u - same);
    unsigned firsts = __ballot_sync(all, first == 1u << __warpsmith::lane());
    return coalesced_group(same, (unsigned)__popc(firsts & (first - 1u)), (unsigned)__popc(firsts));
}
// As many neighbours of a group as a power of two says.
__device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &parent, unsigned count) {
    unsigned number = parent.thread_rank() / count, rank = 0, members = 0;
    for (unsigned rest = parent.mask(); rest != 0; rest &= rest - 1, ++rank)
        if (rank / count == number) members |= rest & (0u - rest);
    return coalesced_group(members, number, (parent.num_threads() + count - 1) / count);
}
template <unsigned count> __device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &parent) {
    return tiled_partition(parent, count);
}

// A block or threads of a warp: which is known where it runs.
class thread_group {
    // The threads of the warp; none for a block.
    unsigned members;

  public:
    __device__ explicit thread_group(unsigned mask) : members(mask) {}
    __device__ thread_group(const thread_block &) : members(0) {}
    __device__ thread_group(const thread_group_of_one &) : members(1u << __warpsmith::lane()) {}
    __device__ thread_group(const coalesced_group &group) : members(group.members) {}
    template <unsigned count, class Parent> __device__ thread_group(const thread_block_tile<count, Parent> &tile) : members(tile.mask()) {}
    // The lanes of the warp that are in the group, which is none of a block.
    __device__ unsigned mask() const { return members; }
    __device__ void sync() const {
        if (members) __syncwarp(members);
        else __syncthreads();
    }
    __device__ unsigned num_threads() const { return members ? (unsigned)__popc(members) : __warpsmith::block_size(); }
    __device__ unsigned size() const { return num_threads(); }
    __device__ unsigned thread_rank() const {
        return members ? (unsigned)__popc(members & __nvvm_read_ptx_sreg_lanemask_lt()) : __warpsmith::rank_in_block();
    }
};
// As many neighbours as a power of two says, at most a warp.
__device__ __forceinline__ thread_group tiled_partition(const thread_group &parent, unsigned count) {
    if (parent.mask()) return tiled_partition(coalesced_group(parent.mask()), count);
    if (count >= 32) return thread_group(0xffffffffu);
    return thread_group(((1u << count) - 1u) << (__warpsmith::lane() & ~(count - 1u)));
}
__device__ __forceinline__ thread_group tiled_partition(const thread_block &parent, unsigned count) {
    return tiled_partition(thread_group(parent), count);
}

// What every group has, as functions.
template <class G> __device__ __forceinline__ void sync(const G &group) { group.sync(); }
template <class G> __device__ __forceinline__ auto thread_rank(const G &group) -> decltype(group.thread_rank()) { return group.thread_rank(); }
template <class G> __device__ __forceinline__ auto group_size(const G &group) -> decltype(group.size()) { return group.size(); }

template <class G, class F> __device__ __forceinline__ void invoke_one(const G &group, F f) {
    if (group.thread_rank() == 0) f();
}

}
