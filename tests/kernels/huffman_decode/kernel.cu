// Bit streams with a canonical prefix code decoded by each thread from its own start.
extern "C" __global__ void decode(const unsigned *bits, const int *starts, int count, unsigned char *out) {
    // Codes: 0 -> 0, 10 -> 1, 110 -> 2, 1110 -> 3, 1111 -> 4.
    int at = starts[threadIdx.x];
    for (int i = 0; i < count; i++) {
        int ones = 0;
        while (ones < 4) {
            bool bit = bits[at / 32] >> at % 32 & 1;
            at++;
            if (!bit) break;
            ones++;
        }
        out[threadIdx.x * count + i] = ones;
    }
}
