// SipHash-2-4 of messages of every length up to 63.
struct State {
    unsigned long long a, b, c, d;
    __device__ static unsigned long long rotate(unsigned long long v, int n) { return v << n | v >> (64 - n); }
    __device__ void round() {
        a += b;
        c += d;
        b = rotate(b, 13) ^ a;
        d = rotate(d, 16) ^ c;
        a = rotate(a, 32);
        c += b;
        a += d;
        b = rotate(b, 17) ^ c;
        d = rotate(d, 21) ^ a;
        c = rotate(c, 32);
    }
};
extern "C" __global__ void siphash(const unsigned char *text, unsigned long long k0, unsigned long long k1, unsigned long long *out) {
    State s = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
    int length = threadIdx.x;
    for (int at = 0; at <= length; at += 8) {
        unsigned long long word = at + 8 <= length ? 0 : (unsigned long long)length << 56;
        for (int i = 0; i < 8 && at + i < length; i++) word |= (unsigned long long)text[at + i] << 8 * i;
        s.d ^= word;
        s.round();
        s.round();
        s.a ^= word;
    }
    s.c ^= 0xff;
    for (int i = 0; i < 4; i++) s.round();
    out[threadIdx.x] = s.a ^ s.b ^ s.c ^ s.d;
}
