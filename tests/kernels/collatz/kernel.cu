// Steps of the Collatz problem: threads leave the loop at very different times.
extern "C" __global__ void collatz(unsigned *steps, unsigned long long *peaks) {
    unsigned long long n = threadIdx.x + 1, peak = n;
    unsigned count = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (n > peak) peak = n;
        count++;
    }
    steps[threadIdx.x] = count;
    peaks[threadIdx.x] = peak;
}
