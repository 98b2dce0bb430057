// Odd-even transposition of 16-bit numbers.
extern "C" __global__ void odd_even(short *data, int count) {
    for (int step = 0; step < count; step++) {
        int i = 2 * threadIdx.x + (step & 1);
        if (i + 1 < count && data[i] > data[i + 1]) {
            short t = data[i];
            data[i] = data[i + 1];
            data[i + 1] = t;
        }
        __syncthreads();
    }
}
