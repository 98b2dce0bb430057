// xxHash with 32 bits, of keys of every length up to 95.
__device__ unsigned rotate(unsigned v, int n) { return __funnelshift_l(v, v, n); }
extern "C" __global__ void xxhash32(const unsigned char *text, unsigned seed, unsigned *out) {
    const unsigned P1 = 2654435761u, P2 = 2246822519u, P3 = 3266489917u, P4 = 668265263u, P5 = 374761393u;
    int length = threadIdx.x, at = 0;
    const unsigned *words = (const unsigned *)text;
    unsigned h = seed + P5;
    if (length >= 16) {
        unsigned v[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
        for (; at + 16 <= length; at += 16)
            for (int i = 0; i < 4; i++) v[i] = rotate(v[i] + words[at / 4 + i] * P2, 13) * P1;
        h = rotate(v[0], 1) + rotate(v[1], 7) + rotate(v[2], 12) + rotate(v[3], 18);
    }
    h += length;
    for (; at + 4 <= length; at += 4) h = rotate(h + words[at / 4] * P3, 17) * P4;
    for (; at < length; at++) h = rotate(h + text[at] * P5, 11) * P1;
    h = (h ^ h >> 15) * P2;
    h = (h ^ h >> 13) * P3;
    out[threadIdx.x] = h ^ h >> 16;
}
