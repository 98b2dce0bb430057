// AES-128 of blocks, byte by byte; the table of substitutions is made by each block of threads.
__device__ unsigned char twice(unsigned char v) { return v << 1 ^ (v & 0x80 ? 0x1b : 0); }
extern "C" __global__ void aes(const unsigned char *plain, const unsigned char *key, unsigned char *cipher) {
    __shared__ unsigned char box[256], keys[176];
    int t = threadIdx.x;
    for (int v = t; v < 256; v += blockDim.x) {
        // The inverse in the field is the power 254.
        unsigned char inverse = 1, square = v;
        auto times = [](unsigned char a, unsigned char b) {
            unsigned char product = 0;
            for (; b; b >>= 1, a = twice(a))
                if (b & 1) product ^= a;
            return product;
        };
        for (int e = 254; e; e >>= 1, square = times(square, square))
            if (e & 1) inverse = times(inverse, square);
        unsigned word = inverse * 0x01010101u;
        box[v] = (word ^ word >> 4 ^ word >> 5 ^ word >> 6 ^ word >> 7 ^ 0x63) & 255;
    }
    __syncthreads();
    if (t == 0) {
        for (int i = 0; i < 16; i++) keys[i] = key[i];
        unsigned char round = 1;
        for (int i = 16; i < 176; i += 4) {
            unsigned char w[4] = {keys[i - 4], keys[i - 3], keys[i - 2], keys[i - 1]};
            if (i % 16 == 0) {
                unsigned char first = w[0];
                w[0] = box[w[1]] ^ round;
                w[1] = box[w[2]];
                w[2] = box[w[3]];
                w[3] = box[first];
                round = twice(round);
            }
            for (int j = 0; j < 4; j++) keys[i + j] = keys[i + j - 16] ^ w[j];
        }
    }
    __syncthreads();
    unsigned char s[16], r[16];
    for (int i = 0; i < 16; i++) s[i] = plain[16 * t + i] ^ keys[i];
    for (int round = 1; round <= 10; round++) {
        for (int i = 0; i < 16; i++) r[i] = box[s[(i + 4 * (i % 4)) % 16]];
        for (int c = 0; c < 16; c += 4) {
            unsigned char all = r[c] ^ r[c + 1] ^ r[c + 2] ^ r[c + 3];
            for (int i = 0; i < 4; i++)
                s[c + i] = (round < 10 ? r[c + i] ^ all ^ twice(r[c + i] ^ r[c + (i + 1) % 4]) : r[c + i]) ^ keys[16 * round + c + i];
        }
    }
    for (int i = 0; i < 16; i++) cipher[16 * t + i] = s[i];
}
