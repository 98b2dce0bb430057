// Iterations of points of the Mandelbrot set, in double precision without contraction.
extern "C" __global__ void mandelbrot(unsigned short *out, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    double cr = -2.0 + x * 0.0625, ci = -1.25 + y * 0.0625, r = 0, i = 0;
    int n = 0;
    while (n < limit && __dadd_rn(__dmul_rn(r, r), __dmul_rn(i, i)) <= 4.0) {
        double t = __dadd_rn(__dsub_rn(__dmul_rn(r, r), __dmul_rn(i, i)), cr);
        i = __dadd_rn(__dmul_rn(__dmul_rn(2.0, r), i), ci);
        r = t;
        n++;
    }
    out[y * width + x] = n;
}
