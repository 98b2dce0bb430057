// A 32x32 matrix of bits transposed within a warp by shuffles.
extern "C" __global__ void bits(const unsigned *in, unsigned *out) {
    unsigned lane = threadIdx.x, v = in[lane], mask = 0x0000ffff;
    for (int d = 16; d; d /= 2) {
        unsigned other = __shfl_xor_sync(~0u, v, d);
        v = lane & d ? v & ~mask | other >> d & mask : v & mask | other << d & ~mask;
        mask ^= mask << d / 2;
    }
    out[lane] = v;
}
