// Differences of numbers packed as variable-length bytes; each thread finds where its own start.
extern "C" __global__ void pack(const unsigned *in, unsigned char *out, int *size) {
    __shared__ int ends[128];
    int t = threadIdx.x;
    int difference = t ? (int)(in[t] - in[t - 1]) : (int)in[0];
    unsigned zigzag = (unsigned)difference << 1 ^ (unsigned)(difference >> 31);
    int bytes = zigzag ? (38 - __clz(zigzag)) / 7 : 1;
    ends[t] = bytes;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int before = t >= d ? ends[t - d] : 0;
        __syncthreads();
        ends[t] += before;
        __syncthreads();
    }
    unsigned char *to = out + ends[t] - bytes;
    for (; zigzag >= 128; zigzag >>= 7) *to++ = zigzag | 128;
    *to = zigzag;
    if (t == blockDim.x - 1) *size = ends[t];
}
