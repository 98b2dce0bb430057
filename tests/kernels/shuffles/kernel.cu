// Every kind of shuffle, with widths, and lanes outside.
extern "C" __global__ void shuffles(const int *in, int *out) {
    int lane = threadIdx.x, v = in[lane], *to = out + lane * 8;
    to[0] = __shfl_sync(~0u, v, 5);
    to[1] = __shfl_sync(~0u, v, lane * 3 + 1, 8);
    to[2] = __shfl_up_sync(~0u, v, 3);
    to[3] = __shfl_up_sync(~0u, v, 2, 16);
    to[4] = __shfl_down_sync(~0u, v, 7);
    to[5] = __shfl_down_sync(~0u, v, 1, 4);
    to[6] = __shfl_xor_sync(~0u, v, 21);
    to[7] = __shfl_xor_sync(~0u, v, 9, 8);
}
