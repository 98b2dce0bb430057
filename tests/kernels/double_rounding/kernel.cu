// Doubles: sums, products, quotients, roots and fused products in all directions.
extern "C" __global__ void doubles(const double *a, const double *b, double *out) {
    double x = a[threadIdx.x], y = b[threadIdx.x], *to = out + 10 * threadIdx.x;
    to[0] = __dadd_rn(x, y);
    to[1] = __dadd_ru(x, y);
    to[2] = __dmul_rz(x, y);
    to[3] = __dmul_rd(x, y);
    to[4] = __ddiv_rn(x, y);
    to[5] = __dsqrt_rn(fabs(x));
    to[6] = __fma_rn(x, y, -x);
    to[7] = __fma_ru(x, y, 1.0);
    to[8] = __drcp_rn(y);
    to[9] = __ddiv_rd(x, y);
}
