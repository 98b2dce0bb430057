// MD5 of messages of 55 bytes at most; the sine table comes in an argument.
extern "C" __global__ void md5(const unsigned char *text, const unsigned *sines, unsigned *out) {
    const int shifts[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
    unsigned m[16];
    int length = threadIdx.x;
    for (int i = 0; i < 16; i++) {
        m[i] = 0;
        for (int j = 0; j < 4; j++) {
            int at = 4 * i + j;
            m[i] |= (unsigned)(at < length ? text[at] : at == length ? 0x80 : 0) << 8 * j;
        }
    }
    m[14] = 8 * length;
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (int i = 0; i < 64; i++) {
        unsigned f;
        int g;
        switch (i / 16) {
        case 0:
            f = b & c | ~b & d;
            g = i;
            break;
        case 1:
            f = d & b | ~d & c;
            g = (5 * i + 1) & 15;
            break;
        case 2:
            f = b ^ c ^ d;
            g = (3 * i + 5) & 15;
            break;
        default:
            f = c ^ (b | ~d);
            g = 7 * i & 15;
        }
        f += a + sines[i] + m[g];
        a = d;
        d = c;
        c = b;
        b += __funnelshift_l(f, f, shifts[i / 16 * 4 + (i & 3)]);
    }
    unsigned *to = out + threadIdx.x * 4;
    to[0] = a + 0x67452301;
    to[1] = b + 0xefcdab89;
    to[2] = c + 0x98badcfe;
    to[3] = d + 0x10325476;
}
