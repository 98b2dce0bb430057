// MurmurHash3 (32 bits) of keys of every length up to 63.
extern "C" __global__ void murmur3(const unsigned char *text, unsigned *out, unsigned seed) {
    int length = threadIdx.x, blocks = length / 4;
    unsigned h = seed;
    auto scramble = [](unsigned k) {
        k *= 0xcc9e2d51u;
        k = k << 15 | k >> 17;
        return k * 0x1b873593u;
    };
    const unsigned *words = (const unsigned *)text;
    for (int i = 0; i < blocks; i++) {
        h ^= scramble(words[i]);
        h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
    }
    unsigned tail = 0;
    for (int i = length & 3; i > 0; i--) tail = tail << 8 | text[4 * blocks + i - 1];
    h ^= scramble(tail);
    h ^= length;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    out[threadIdx.x] = h ^ h >> 16;
}
