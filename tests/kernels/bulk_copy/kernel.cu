// Bulk copies to shared memory that complete at a barrier object by their bytes, and back.
extern "C" __global__ void copy(const int *in, int *out) {
    __shared__ alignas(128) int tile[256];
    __shared__ unsigned long long barrier;
    unsigned b = (unsigned)__cvta_generic_to_shared(&barrier), t = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(b) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(t), "l"(in + blockIdx.x * 256), "r"(b) : "memory");
    }
    __syncthreads();
    asm volatile("{.reg .pred p;\n\tWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n\t@!p bra WAIT;}" ::"r"(b) : "memory");
    tile[threadIdx.x] = tile[threadIdx.x] * 3 + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out + blockIdx.x * 256), "r"(t) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
