// Division, remainder, shifts and high products at the ends of the integer types.
extern "C" __global__ void corners(const long long *in, long long *out) {
    long long a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1], *to = out + 18 * threadIdx.x;
    int x = (int)a, y = (int)b;
    to[0] = a + b;
    to[1] = a * b;
    to[2] = __mul64hi(a, b);
    to[3] = (long long)__umul64hi(a, b);
    to[4] = b && b != -1 ? a / b : 0;
    to[5] = b && b != -1 ? a % b : 0;
    to[6] = b ? (unsigned long long)a / (unsigned long long)b : 0;
    to[7] = b ? (unsigned long long)a % (unsigned long long)b : 0;
    to[8] = y && y != -1 ? x / y : 0;
    to[9] = y && y != -1 ? x % y : 0;
    to[10] = y ? (unsigned)x / (unsigned)y : 0;
    to[11] = __mulhi(x, y);
    asm("shl.b64 %0, %1, %2;" : "=l"(to[12]) : "l"(a), "r"((unsigned)y));
    asm("shr.s64 %0, %1, %2;" : "=l"(to[13]) : "l"(a), "r"((unsigned)y));
    asm("shr.u64 %0, %1, %2;" : "=l"(to[14]) : "l"(a), "r"((unsigned)y));
    to[15] = __sad(x, y, 5u);
    to[16] = __hadd(x, y);
    to[17] = llabs(a) + min(a, b) + max(x, y);
}
