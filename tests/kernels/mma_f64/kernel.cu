// mma.sync in double precision: 8x4 by 4x8.
extern "C" __global__ void mma(const double *a, const double *b, double *d) {
    int lane = threadIdx.x, group = lane / 4, member = lane % 4;
    double r0, r1;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%4};"
        : "=d"(r0), "=d"(r1)
        : "d"(a[group * 4 + member]), "d"(b[member * 8 + group]), "d"(0.25));
    d[group * 8 + member * 2] = r0;
    d[group * 8 + member * 2 + 1] = r1;
}
