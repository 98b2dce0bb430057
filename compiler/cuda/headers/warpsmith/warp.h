// What threads of a warp and of a block do together.
#pragma once

__WARPSMITH_DEVICE void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
__WARPSMITH_DEVICE unsigned __activemask() { return __nvvm_activemask(); }
__WARPSMITH_DEVICE void __barrier_sync(unsigned id) { __nvvm_barrier_sync(id); }
__WARPSMITH_DEVICE void __barrier_sync_count(unsigned id, unsigned count) { __nvvm_barrier_sync_cnt(id, count); }

// Votes.
__WARPSMITH_DEVICE int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate != 0); }
__WARPSMITH_DEVICE int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate != 0); }
__WARPSMITH_DEVICE int __uni_sync(unsigned mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate != 0); }
__WARPSMITH_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate != 0); }

// Shuffles: of 32-bit values one instruction, of 64-bit values two. The last operand of the instruction holds the size of the segments and the
// last lane that is in range.
#define __WARPSMITH_SHUFFLE(kind, builtin, last, operand)                                                                                   \
    __WARPSMITH_DEVICE unsigned __shfl##kind##_sync(unsigned mask, unsigned value, operand lane, int width = 32) {                          \
        return builtin(mask, value, (unsigned)lane, (unsigned)((32 - width) << 8 | last));                                                  \
    }                                                                                                                                       \
    __WARPSMITH_DEVICE int __shfl##kind##_sync(unsigned mask, int value, operand lane, int width = 32) {                                    \
        return (int)__shfl##kind##_sync(mask, (unsigned)value, lane, width);                                                                \
    }                                                                                                                                       \
    __WARPSMITH_DEVICE float __shfl##kind##_sync(unsigned mask, float value, operand lane, int width = 32) {                                \
        return __builtin_bit_cast(float, __shfl##kind##_sync(mask, __builtin_bit_cast(unsigned, value), lane, width));                      \
    }                                                                                                                                       \
    __WARPSMITH_DEVICE unsigned long long __shfl##kind##_sync(unsigned mask, unsigned long long value, operand lane, int width = 32) {      \
        unsigned low = __shfl##kind##_sync(mask, (unsigned)value, lane, width);                                                             \
        unsigned high = __shfl##kind##_sync(mask, (unsigned)(value >> 32), lane, width);                                                    \
        return (unsigned long long)high << 32 | low;                                                                                        \
    }                                                                                                                                       \
    __WARPSMITH_DEVICE long long __shfl##kind##_sync(unsigned mask, long long value, operand lane, int width = 32) {                        \
        return (long long)__shfl##kind##_sync(mask, (unsigned long long)value, lane, width);                                                \
    }                                                                                                                                       \
    __WARPSMITH_DEVICE unsigned long __shfl##kind##_sync(unsigned mask, unsigned long value, operand lane, int width = 32) {                \
        return (unsigned long)__shfl##kind##_sync(mask, (unsigned long long)value, lane, width);                                            \
    }                                                                                                                                       \
    __WARPSMITH_DEVICE long __shfl##kind##_sync(unsigned mask, long value, operand lane, int width = 32) {                                  \
        return (long)__shfl##kind##_sync(mask, (unsigned long long)value, lane, width);                                                     \
    }                                                                                                                                       \
    __WARPSMITH_DEVICE double __shfl##kind##_sync(unsigned mask, double value, operand lane, int width = 32) {                              \
        return __builtin_bit_cast(double, __shfl##kind##_sync(mask, __builtin_bit_cast(unsigned long long, value), lane, width));           \
    }
__WARPSMITH_SHUFFLE(, __nvvm_shfl_idx_sync, 0x1f, int)
__WARPSMITH_SHUFFLE(_up, __nvvm_shfl_up_sync, 0, unsigned)
__WARPSMITH_SHUFFLE(_down, __nvvm_shfl_down_sync, 0x1f, unsigned)
__WARPSMITH_SHUFFLE(_xor, __nvvm_shfl_bfly_sync, 0x1f, int)
#undef __WARPSMITH_SHUFFLE

// Which threads have the same value.
#define __WARPSMITH_MATCH(type, bits, word)                                                                          \
    __WARPSMITH_DEVICE unsigned __match_any_sync(unsigned mask, type value) {                                        \
        return __match##bits##_any_sync(mask, __builtin_bit_cast(word, value));                                      \
    }                                                                                                                \
    __WARPSMITH_DEVICE unsigned __match_all_sync(unsigned mask, type value, int *predicate) {                        \
        return __match##bits##_all_sync(mask, __builtin_bit_cast(word, value), predicate);                           \
    }
__WARPSMITH_MATCH(unsigned, 32, unsigned)
__WARPSMITH_MATCH(int, 32, unsigned)
__WARPSMITH_MATCH(float, 32, unsigned)
__WARPSMITH_MATCH(unsigned long, 64, unsigned long long)
__WARPSMITH_MATCH(long, 64, unsigned long long)
__WARPSMITH_MATCH(unsigned long long, 64, unsigned long long)
__WARPSMITH_MATCH(long long, 64, unsigned long long)
__WARPSMITH_MATCH(double, 64, unsigned long long)
#undef __WARPSMITH_MATCH

// Reductions over a mask, from sm_80.
__WARPSMITH_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned value) { return __reduce_add_sync_unsigned_impl(mask, value); }
__WARPSMITH_DEVICE int __reduce_add_sync(unsigned mask, int value) { return __reduce_add_sync_signed_impl(mask, value); }
__WARPSMITH_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned value) { return __reduce_min_sync_unsigned_impl(mask, value); }
__WARPSMITH_DEVICE int __reduce_min_sync(unsigned mask, int value) { return __reduce_min_sync_signed_impl(mask, value); }
__WARPSMITH_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned value) { return __reduce_max_sync_unsigned_impl(mask, value); }
__WARPSMITH_DEVICE int __reduce_max_sync(unsigned mask, int value) { return __reduce_max_sync_signed_impl(mask, value); }
__WARPSMITH_DEVICE unsigned __reduce_and_sync(unsigned mask, unsigned value) { return __reduce_and_sync_unsigned_impl(mask, value); }
__WARPSMITH_DEVICE unsigned __reduce_or_sync(unsigned mask, unsigned value) { return __reduce_or_sync_unsigned_impl(mask, value); }
__WARPSMITH_DEVICE unsigned __reduce_xor_sync(unsigned mask, unsigned value) { return __reduce_xor_sync_unsigned_impl(mask, value); }

#if __CUDA_ARCH__ >= 900
// Clusters of blocks.
__WARPSMITH_DEVICE void __cluster_barrier_arrive() { __nv_cluster_barrier_arrive_impl(); }
__WARPSMITH_DEVICE void __cluster_barrier_arrive_relaxed() { __nv_cluster_barrier_arrive_relaxed_impl(); }
__WARPSMITH_DEVICE void __cluster_barrier_wait() { __nv_cluster_barrier_wait_impl(); }
__WARPSMITH_DEVICE bool __clusterDimIsSpecified() { return __nv_clusterDimIsSpecifed_impl(); }
__WARPSMITH_DEVICE void __threadfence_cluster() { __nv_threadfence_cluster_impl(); }
__WARPSMITH_DEVICE unsigned __clusterRelativeBlockRank() { return __nv_clusterRelativeBlockRank_impl(); }
__WARPSMITH_DEVICE unsigned __clusterSizeInBlocks() { return __nv_clusterSizeInBlocks_impl(); }
__WARPSMITH_DEVICE dim3 __clusterDim() {
    return dim3(__nvvm_read_ptx_sreg_cluster_nctaid_x(), __nvvm_read_ptx_sreg_cluster_nctaid_y(), __nvvm_read_ptx_sreg_cluster_nctaid_z());
}
__WARPSMITH_DEVICE dim3 __clusterRelativeBlockIdx() {
    return dim3(__nvvm_read_ptx_sreg_cluster_ctaid_x(), __nvvm_read_ptx_sreg_cluster_ctaid_y(), __nvvm_read_ptx_sreg_cluster_ctaid_z());
}
__WARPSMITH_DEVICE dim3 __clusterGridDimInClusters() {
    return dim3(__nvvm_read_ptx_sreg_nclusterid_x(), __nvvm_read_ptx_sreg_nclusterid_y(), __nvvm_read_ptx_sreg_nclusterid_z());
}
__WARPSMITH_DEVICE dim3 __clusterIdx() {
    return dim3(__nvvm_read_ptx_sreg_clusterid_x(), __nvvm_read_ptx_sreg_clusterid_y(), __nvvm_read_ptx_sreg_clusterid_z());
}
#endif
