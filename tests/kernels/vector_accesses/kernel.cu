// Loads and stores of vectors of all widths, with the cache hints that CUDA offers.
extern "C" __global__ void vectors(const uchar4 *a, const short2 *b, const int2 *c, const double2 *d, const longlong2 *e, double2 *out, uint4 *more) {
    int t = threadIdx.x;
    uchar4 x = __ldg(&a[t]);
    short2 y = b[t];
    int2 z = __ldcg(&c[t]);
    double2 v = __ldcs(&d[t]);
    longlong2 w = e[t];
    out[t] = make_double2(v.x + z.x + y.x + x.x, v.y + z.y + y.y + x.w);
    __stcs(&more[t], make_uint4((unsigned)w.x, (unsigned)(w.y >> 32), x.y | x.z << 8, (unsigned)w.y));
}
