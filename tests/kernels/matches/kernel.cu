// Lanes with equal values, and the histogram that aggregated atomics make of them.
extern "C" __global__ void matches(const int *in, unsigned *equal, unsigned *bins, int *all) {
    int lane = threadIdx.x % 32, v = in[threadIdx.x], same;
    unsigned mask = __match_any_sync(~0u, v);
    equal[threadIdx.x] = mask;
    if (lane == __ffs(mask) - 1) atomicAdd(&bins[v], __popc(mask));
    unsigned every = __match_all_sync(~0u, (unsigned long long)(v >> 4), &same);
    all[threadIdx.x] = same ? (int)every : 0;
}
