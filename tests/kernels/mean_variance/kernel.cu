// Mean and variance by Welford's method, partial results merged by shuffles.
extern "C" __global__ void moments(const double *data, int count, double *out) {
    double n = 0, mean = 0, squares = 0;
    for (int i = threadIdx.x; i < count; i += 32) {
        n += 1;
        double delta = data[i] - mean;
        mean += delta / n;
        squares += delta * (data[i] - mean);
    }
    for (int d = 16; d; d /= 2) {
        double n2 = __shfl_down_sync(~0u, n, d), mean2 = __shfl_down_sync(~0u, mean, d), squares2 = __shfl_down_sync(~0u, squares, d);
        double delta = mean2 - mean, total = n + n2;
        mean += delta * n2 / total;
        squares += squares2 + delta * delta * n * n2 / total;
        n = total;
    }
    if (threadIdx.x == 0) {
        out[0] = mean;
        out[1] = squares / n;
    }
}
