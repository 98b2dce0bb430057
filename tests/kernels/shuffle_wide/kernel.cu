// Shuffles of 64-bit numbers and within a part of the warp only.
extern "C" __global__ void shuffles(const double *in, double *out, long long *sums) {
    int lane = threadIdx.x;
    out[lane] = __shfl_xor_sync(~0u, in[lane], 31);
    long long sum = (long long)lane << 40;
    if (lane < 16) {
        for (int d = 8; d; d /= 2) sum += __shfl_down_sync(0xffff, sum, d, 16);
    } else {
        for (int d = 1; d < 16; d *= 2) sum -= __shfl_xor_sync(0xffff0000, sum, d);
    }
    sums[lane] = sum;
}
