// Keeps the odd elements in order: votes within a warp, a scan of the warps' counts.
extern "C" __global__ void compact(const unsigned *in, unsigned *out, unsigned *kept) {
    __shared__ unsigned counts[8];
    unsigned value = in[threadIdx.x], warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned votes = __ballot_sync(0xffffffff, value & 1);
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    unsigned before = 0;
    for (unsigned w = 0; w < warp; w++) before += counts[w];
    if (value & 1) out[before + __popc(votes & ((1u << lane) - 1))] = value;
    if (threadIdx.x == blockDim.x - 1) *kept = before + counts[warp];
}
