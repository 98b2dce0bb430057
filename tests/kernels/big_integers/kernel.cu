// Products and sums of 256-bit numbers with chains of carries.
extern "C" __global__ void multiply(const unsigned *a, const unsigned *b, unsigned *product, unsigned *sum) {
    const unsigned *x = a + threadIdx.x * 8, *y = b + threadIdx.x * 8;
    unsigned r[16];
    for (int i = 0; i < 16; i++) r[i] = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        unsigned high;
        asm("mad.lo.cc.u32 %0, %9, %10, %0;\n\tmadc.lo.cc.u32 %1, %9, %11, %1;\n\tmadc.lo.cc.u32 %2, %9, %12, %2;\n\tmadc.lo.cc.u32 %3, %9, %13, %3;\n\t"
            "madc.lo.cc.u32 %4, %9, %14, %4;\n\tmadc.lo.cc.u32 %5, %9, %15, %5;\n\tmadc.lo.cc.u32 %6, %9, %16, %6;\n\tmadc.lo.cc.u32 %7, %9, %17, %7;\n\t"
            "addc.u32 %8, 0, 0;"
            : "+r"(r[i]), "+r"(r[i + 1]), "+r"(r[i + 2]), "+r"(r[i + 3]), "+r"(r[i + 4]), "+r"(r[i + 5]), "+r"(r[i + 6]), "+r"(r[i + 7]),
              "=r"(high)
            : "r"(x[i]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
        asm("mad.hi.cc.u32 %0, %8, %9, %0;\n\tmadc.hi.cc.u32 %1, %8, %10, %1;\n\tmadc.hi.cc.u32 %2, %8, %11, %2;\n\tmadc.hi.cc.u32 %3, %8, %12, %3;\n\t"
            "madc.hi.cc.u32 %4, %8, %13, %4;\n\tmadc.hi.cc.u32 %5, %8, %14, %5;\n\tmadc.hi.cc.u32 %6, %8, %15, %6;\n\tmadc.hi.u32 %7, %8, %16, %7;"
            : "+r"(r[i + 1]), "+r"(r[i + 2]), "+r"(r[i + 3]), "+r"(r[i + 4]), "+r"(r[i + 5]), "+r"(r[i + 6]), "+r"(r[i + 7]), "+r"(high)
            : "r"(x[i]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
        r[i + 8] = high;
    }
    for (int i = 0; i < 16; i++) product[threadIdx.x * 16 + i] = r[i];
    unsigned s[8];
    asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
        : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
    asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\tsubc.cc.u32 %2, %6, %10;\n\tsubc.u32 %3, %7, %11;"
        : "=r"(s[4]), "=r"(s[5]), "=r"(s[6]), "=r"(s[7])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
    for (int i = 0; i < 8; i++) sum[threadIdx.x * 8 + i] = s[i];
}
