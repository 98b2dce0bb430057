// Parity bytes of a Reed-Solomon code with tables of logarithms of GF(256).
extern "C" __global__ void encode(const unsigned char *data, int length, unsigned char *parity) {
    __shared__ unsigned char powers[512], logs[256];
    if (threadIdx.x == 0) {
        unsigned v = 1;
        for (int i = 0; i < 255; i++) {
            powers[i] = powers[i + 255] = v;
            logs[v] = i;
            v = v << 1 ^ (v & 128 ? 0x11d : 0);
        }
    }
    __syncthreads();
    auto times = [&](unsigned char a, unsigned char b) { return a && b ? powers[logs[a] + logs[b]] : 0; };
    // The generator: (x + 1)(x + 2)(x + 4)(x + 8).
    unsigned char generator[5] = {1, 0, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j > 0; j--) generator[j] ^= times(generator[j - 1], powers[i]);
    unsigned char rest[4] = {};
    for (int i = 0; i < length; i++) {
        unsigned char factor = data[threadIdx.x * length + i] ^ rest[0];
        for (int j = 0; j < 4; j++) rest[j] = (j < 3 ? rest[j + 1] : 0) ^ times(factor, generator[j + 1]);
    }
    for (int j = 0; j < 4; j++) parity[threadIdx.x * 4 + j] = rest[j];
}
