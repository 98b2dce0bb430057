// Votes, active masks and masks of lanes.
__device__ unsigned lanes(int which) {
    unsigned v;
    switch (which) {
    case 0: asm("mov.u32 %0, %%lanemask_eq;" : "=r"(v)); break;
    case 1: asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v)); break;
    case 2: asm("mov.u32 %0, %%lanemask_le;" : "=r"(v)); break;
    case 3: asm("mov.u32 %0, %%lanemask_gt;" : "=r"(v)); break;
    default: asm("mov.u32 %0, %%lanemask_ge;" : "=r"(v));
    }
    return v;
}
extern "C" __global__ void votes(const int *in, unsigned *out) {
    int t = threadIdx.x, v = in[t];
    unsigned *to = out + t * 10;
    to[0] = __ballot_sync(~0u, v & 1);
    to[1] = __any_sync(~0u, v == 77);
    to[2] = __all_sync(~0u, v >= 0);
    if (v & 2)
        to[3] = __ballot_sync(__match_any_sync(__activemask(), 1), v & 4);
    else
        to[3] = 0xdead;
    __syncwarp();
    for (int i = 0; i < 5; i++) to[4 + i] = lanes(i);
    to[9] = __syncthreads_count(v & 8) | __syncthreads_or(v == 100) << 16 | __syncthreads_and(v < 101) << 17;
}
