// Copies of earlier output, which may overlap what they write, one stream for each thread.
extern "C" __global__ void decode(const unsigned char *in, const int *starts, unsigned char *out, int length) {
    const unsigned char *from = in + starts[threadIdx.x];
    unsigned char *to = out + threadIdx.x * length;
    int n = 0;
    while (n < length) {
        unsigned token = *from++;
        if (token < 128) {
            for (unsigned i = 0; i <= token; i++) to[n++] = *from++;
        } else {
            int back = *from++ + 1;
            for (unsigned i = 0; i < token - 125; i++, n++) to[n] = to[n - back];
        }
    }
}
