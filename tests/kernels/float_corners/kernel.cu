// Singles at their limits: every rounding, with and without flushing, minima and maxima with NaN, the fused product.
extern "C" __global__ void corners(const unsigned *in, unsigned *out) {
    float a = __uint_as_float(in[3 * threadIdx.x]), b = __uint_as_float(in[3 * threadIdx.x + 1]), c = __uint_as_float(in[3 * threadIdx.x + 2]);
    unsigned *to = out + 20 * threadIdx.x;
    auto put = [&](int i, float v) { to[i] = __float_as_uint(v); };
    put(0, __fadd_rn(a, b));
    put(1, __fadd_rz(a, b));
    put(2, __fadd_ru(a, b));
    put(3, __fadd_rd(a, b));
    put(4, __fmul_rn(a, b));
    put(5, __fmul_rz(a, b));
    put(6, __fmul_ru(a, b));
    put(7, __fmul_rd(a, b));
    put(8, __fmaf_rn(a, b, c));
    put(9, __fmaf_rz(a, b, c));
    put(10, __fmaf_ru(a, b, c));
    put(11, __fmaf_rd(a, b, c));
    put(12, __fdiv_rn(a, b));
    put(13, __fdiv_rz(a, b));
    put(14, __fsqrt_rn(a));
    put(15, __fsqrt_ru(a));
    put(16, fminf(a, b));
    put(17, fmaxf(a, b));
    float f;
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b));
    put(18, f);
    asm("mul.ftz.sat.f32 %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b));
    put(19, f);
}
