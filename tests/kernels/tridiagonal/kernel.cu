// Thomas' algorithm for tridiagonal systems, one for each thread, elements of the systems interleaved.
extern "C" __global__ void solve(const double *lower, const double *diagonal, const double *upper, double *x, double *scratch, int n) {
    int systems = blockDim.x, t = threadIdx.x;
    double c = 0, d = 0;
    for (int i = 0; i < n; i++) {
        int at = i * systems + t;
        double m = diagonal[at] - lower[at] * c;
        d = (x[at] - lower[at] * d) / m;
        c = upper[at] / m;
        scratch[at] = c;
        x[at] = d;
    }
    for (int i = n - 2; i >= 0; i--) x[i * systems + t] -= scratch[i * systems + t] * x[(i + 1) * systems + t];
}
