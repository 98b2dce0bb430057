// Video instructions: bytes and halves picked, saturated, merged and accumulated.
extern "C" __global__ void video(const unsigned *in, unsigned *out) {
    unsigned a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2], *to = out + 12 * threadIdx.x;
    asm("vadd.s32.s32.s32.sat %0, %1, %2;" : "=r"(to[0]) : "r"(a), "r"(b));
    asm("vadd.u32.u32.u32.add %0, %1.b1, %2.h1, %3;" : "=r"(to[1]) : "r"(a), "r"(b), "r"(c));
    asm("vsub.s32.s32.u32.min %0, %1.b3, %2.b0, %3;" : "=r"(to[2]) : "r"(a), "r"(b), "r"(c));
    asm("vabsdiff.u32.s32.s32.add %0, %1.h0, %2.h1, %3;" : "=r"(to[3]) : "r"(a), "r"(b), "r"(c));
    asm("vmax.s32.s32.s32 %0.b2, %1.b0, %2.b3, %3;" : "=r"(to[4]) : "r"(a), "r"(b), "r"(c));
    asm("vshl.u32.u32.u32.wrap %0, %1, %2.b0;" : "=r"(to[5]) : "r"(a), "r"(b));
    asm("vshr.s32.s32.u32.clamp %0, %1, %2.b1;" : "=r"(to[6]) : "r"(a), "r"(b));
    asm("vmad.s32.s32.u32.shr7 %0, %1.h1, %2.b2, %3;" : "=r"(to[7]) : "r"(a), "r"(b), "r"(c));
    asm("vset.s32.s32.ge %0, %1.h0, %2.h0;" : "=r"(to[8]) : "r"(a), "r"(b));
    to[9] = __vadd4(a, b);
    to[10] = __vabsdiffu4(a, b) ^ __vcmpgtu2(a, b);
    to[11] = __vsadu4(a, b) + __vmaxs2(a, c);
}
