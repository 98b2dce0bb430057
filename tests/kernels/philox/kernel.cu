// Philox4x32-10, a counter-based generator.
extern "C" __global__ void philox(uint4 *out, unsigned key0, unsigned key1) {
    uint4 c = make_uint4(blockIdx.x * blockDim.x + threadIdx.x, 0, 0xffffffff, 7);
    for (int round = 0; round < 10; round++) {
        unsigned low0 = 0xD2511F53u * c.x, high0 = __umulhi(0xD2511F53u, c.x);
        unsigned low1 = 0xCD9E8D57u * c.z, high1 = __umulhi(0xCD9E8D57u, c.z);
        c = make_uint4(high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = c;
}
