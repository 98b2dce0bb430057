// Numbers of 11 bits packed into words by shuffles, and unpacked again.
extern "C" __global__ void pack(const unsigned *in, unsigned *packed, unsigned *unpacked) {
    unsigned lane = threadIdx.x, value = in[lane] & 0x7ff;
    for (int w = 0; w < 11; w++) {
        // Bits of this word that this lane's number has.
        int shift = (int)(lane * 11) - w * 32;
        unsigned part = shift >= 32 || shift <= -11 ? 0 : shift >= 0 ? value << shift : value >> -shift;
        for (int d = 16; d; d /= 2) part |= __shfl_xor_sync(~0u, part, d);
        if (lane == w) packed[w] = part;
    }
    __syncwarp();
    unsigned at = lane * 11, low = packed[at / 32], high = at / 32 + 1 < 11 ? packed[at / 32 + 1] : 0;
    unpacked[lane] = __funnelshift_r(low, high, at & 31) & 0x7ff;
}
