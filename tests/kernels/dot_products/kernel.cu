// Dot products of bytes and halves with accumulation.
extern "C" __global__ void dots(const unsigned *in, int *out) {
    unsigned a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2];
    int *to = out + 6 * threadIdx.x;
    to[0] = __dp4a((int)a, (int)b, (int)c);
    to[1] = (int)__dp4a(a, b, c);
    to[2] = __dp2a_lo((int)a, (int)b, (int)c);
    to[3] = __dp2a_hi((int)a, (int)b, (int)c);
    to[4] = (int)__dp2a_lo(a, b, c);
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(to[5]) : "r"(a), "r"(b), "r"(c));
}
