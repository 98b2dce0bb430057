// FNV-1a with 64 bits over growing prefixes.
extern "C" __global__ void fnv1a(const unsigned char *text, unsigned long long *out) {
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (int i = 0; i <= threadIdx.x; i++) hash = (hash ^ text[i]) * 0x100000001b3ull;
    out[threadIdx.x] = hash;
}
