// Blocks of a cluster read each other's shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster(const int *in, int *out) {
    __shared__ int values[32];
    unsigned rank, size;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    unsigned own = (unsigned)__cvta_generic_to_shared(&values[31 - threadIdx.x]);
    int sum = 0;
    for (unsigned i = 0; i < size; i++) {
        unsigned there;
        int v;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"((rank + i) % size));
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there) : "memory");
        sum = sum * 3 + v;
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
