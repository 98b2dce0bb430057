// Key stream of ChaCha20, one block for each thread.
extern "C" __global__ void chacha(const unsigned *state, unsigned *out) {
    unsigned s[16], v[16];
    for (int i = 0; i < 16; i++) s[i] = state[i];
    s[12] += threadIdx.x;
    for (int i = 0; i < 16; i++) v[i] = s[i];
    auto quarter = [&](int a, int b, int c, int d) {
        auto turn = [](unsigned x, int n) { return x << n | x >> (32 - n); };
        v[a] += v[b];
        v[d] = turn(v[d] ^ v[a], 16);
        v[c] += v[d];
        v[b] = turn(v[b] ^ v[c], 12);
        v[a] += v[b];
        v[d] = turn(v[d] ^ v[a], 8);
        v[c] += v[d];
        v[b] = turn(v[b] ^ v[c], 7);
    };
    for (int round = 0; round < 10; round++) {
        quarter(0, 4, 8, 12);
        quarter(1, 5, 9, 13);
        quarter(2, 6, 10, 14);
        quarter(3, 7, 11, 15);
        quarter(0, 5, 10, 15);
        quarter(1, 6, 11, 12);
        quarter(2, 7, 8, 13);
        quarter(3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++) out[16 * threadIdx.x + i] = v[i] + s[i];
}
