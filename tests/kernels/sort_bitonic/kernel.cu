// Bitonic sort of one block in shared memory.
extern "C" __global__ void bitonic(unsigned *data) {
    __shared__ unsigned keys[256];
    unsigned t = threadIdx.x;
    keys[t] = data[t];
    __syncthreads();
    for (unsigned size = 2; size <= 256; size *= 2)
        for (unsigned distance = size / 2; distance > 0; distance /= 2) {
            unsigned other = t ^ distance;
            if (other > t) {
                bool up = (t & size) == 0;
                unsigned a = keys[t], b = keys[other];
                if ((a > b) == up) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            __syncthreads();
        }
    data[t] = keys[t];
}
