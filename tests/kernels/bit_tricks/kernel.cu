// Counting, reversing, extracting, inserting, permuting and three-input logic on bits.
extern "C" __global__ void tricks(const unsigned *in, unsigned *out) {
    unsigned a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2], *to = out + 20 * threadIdx.x;
    unsigned long long wide = (unsigned long long)a << 32 | b;
    to[0] = __popc(a);
    to[1] = __clz(a >> b % 33);
    to[2] = __brev(a);
    to[3] = __ffs(a << b % 32);
    to[4] = __byte_perm(a, b, c & 0x7777);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(to[5]) : "r"(a), "r"(b & 63), "r"(c & 63));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(to[6]) : "r"(a), "r"(b & 63), "r"(c & 63));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(to[7]) : "r"(a), "r"(b), "r"(c & 63), "r"(b & 63));
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(to[8]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(to[9]) : "r"(a), "r"(b), "r"(c));
    to[10] = __funnelshift_l(a, b, c);
    to[11] = __funnelshift_r(a, b, c);
    to[12] = __funnelshift_lc(a, b, c & 63);
    to[13] = __funnelshift_rc(a, b, c & 63);
    to[14] = __popcll(wide);
    to[15] = __clzll(wide >> (c & 63));
    asm("bfind.u32 %0, %1;" : "=r"(to[16]) : "r"(a >> (b & 31)));
    asm("bfind.shiftamt.s32 %0, %1;" : "=r"(to[17]) : "r"(a));
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(to[18]) : "r"(a), "r"(b & 31), "r"((int)(c % 9) - 4));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(to[19]) : "r"(b & 31), "r"(c & 31));
}
