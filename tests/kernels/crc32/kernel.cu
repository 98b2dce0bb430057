// CRC-32 of strings, one for each thread; each block first makes the table.
extern "C" __global__ void crc32(const unsigned char *text, const int *ends, unsigned *out, int count) {
    __shared__ unsigned table[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned value = i;
        for (int bit = 0; bit < 8; bit++) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[i] = value;
    }
    __syncthreads();
    int t = threadIdx.x;
    if (t >= count) return;
    unsigned crc = 0xffffffffu;
    for (int i = t ? ends[t - 1] : 0; i < ends[t]; i++) crc = crc >> 8 ^ table[(crc ^ text[i]) & 255];
    out[t] = ~crc;
}
