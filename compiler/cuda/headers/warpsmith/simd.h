// Two halves or four bytes of a word at once. Some have an instruction; the others are made of instructions on whole words, where carries are kept
// from crossing the elements, or element by element.
#pragma once

// Elements of a word.
#define __WARPSMITH_HALVES(name, type, expression)                                             \
    __WARPSMITH_DEVICE unsigned name(unsigned a, unsigned b) {                                 \
        unsigned result = 0;                                                                   \
        for (int shift = 0; shift < 32; shift += 16) {                                         \
            int x = (type)(a >> shift), y = (type)(b >> shift);                                \
            result |= ((unsigned)(expression) & 0xffffu) << shift;                             \
        }                                                                                      \
        return result;                                                                         \
    }
#define __WARPSMITH_BYTES(name, type, expression)                                              \
    __WARPSMITH_DEVICE unsigned name(unsigned a, unsigned b) {                                 \
        unsigned result = 0;                                                                   \
        for (int shift = 0; shift < 32; shift += 8) {                                          \
            int x = (type)(a >> shift), y = (type)(b >> shift);                                \
            result |= ((unsigned)(expression) & 0xffu) << shift;                               \
        }                                                                                      \
        return result;                                                                         \
    }
__WARPSMITH_DEVICE int __warpsmith_clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

// Sums and differences that wrap: the top bit of each element is added without carry.
__WARPSMITH_DEVICE unsigned __vadd2(unsigned a, unsigned b) { return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u); }
__WARPSMITH_DEVICE unsigned __vadd4(unsigned a, unsigned b) { return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u); }
__WARPSMITH_DEVICE unsigned __vsub2(unsigned a, unsigned b) { return ((a | 0x80008000u) - (b & 0x7fff7fffu)) ^ ((a ^ ~b) & 0x80008000u); }
__WARPSMITH_DEVICE unsigned __vsub4(unsigned a, unsigned b) { return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u); }
__WARPSMITH_DEVICE unsigned __vneg2(unsigned a) { return __vsub2(0, a); }
__WARPSMITH_DEVICE unsigned __vneg4(unsigned a) { return __vsub4(0, a); }
// Averages.
__WARPSMITH_DEVICE unsigned __vhaddu2(unsigned a, unsigned b) { return (a & b) + (((a ^ b) >> 1) & 0x7fff7fffu); }
__WARPSMITH_DEVICE unsigned __vhaddu4(unsigned a, unsigned b) { return (a & b) + (((a ^ b) >> 1) & 0x7f7f7f7fu); }
__WARPSMITH_DEVICE unsigned __vavgu2(unsigned a, unsigned b) { return (a | b) - (((a ^ b) >> 1) & 0x7fff7fffu); }
__WARPSMITH_DEVICE unsigned __vavgu4(unsigned a, unsigned b) { return (a | b) - (((a ^ b) >> 1) & 0x7f7f7f7fu); }

// Comparisons: the carry out of each element of a + ~b says that a > b, that of a + ~b + 1 that a >= b; half of the sum, rounded down or up, has it as its top bit.
// Signed elements are compared as unsigned ones with the sign turned. The top bits then become masks, or ones.
__WARPSMITH_DEVICE unsigned __warpsmith_signs2(unsigned a) {
    unsigned mask;
    asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(mask) : "r"(a));
    return mask;
}
__WARPSMITH_DEVICE unsigned __warpsmith_signs4(unsigned a) {
    unsigned mask;
    asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(mask) : "r"(a));
    return mask;
}
// The top bit of each element that is not zero.
__WARPSMITH_DEVICE unsigned __warpsmith_not_zero2(unsigned a) { return ((a | 0x80008000u) - 0x00010001u) | a; }
__WARPSMITH_DEVICE unsigned __warpsmith_not_zero4(unsigned a) { return ((a | 0x80808080u) - 0x01010101u) | a; }
#define __WARPSMITH_COMPARISONS(count, name, bits)                                                                        \
    __WARPSMITH_DEVICE unsigned __vcmp##name##count(unsigned a, unsigned b) { return __warpsmith_signs##count(bits); }    \
    __WARPSMITH_DEVICE unsigned __vset##name##count(unsigned a, unsigned b) {                                             \
        return ((bits) >> (32 / count - 1)) & (count == 2 ? 0x00010001u : 0x01010101u);                                   \
    }
__WARPSMITH_COMPARISONS(2, eq, ~__warpsmith_not_zero2(a ^ b))
__WARPSMITH_COMPARISONS(2, ne, __warpsmith_not_zero2(a ^ b))
__WARPSMITH_COMPARISONS(2, gtu, __vhaddu2(a, ~b))
__WARPSMITH_COMPARISONS(2, geu, __vavgu2(a, ~b))
__WARPSMITH_COMPARISONS(2, ltu, __vhaddu2(b, ~a))
__WARPSMITH_COMPARISONS(2, leu, __vavgu2(b, ~a))
__WARPSMITH_COMPARISONS(2, gts, __vhaddu2(a ^ 0x80008000u, b ^ 0x7fff7fffu))
__WARPSMITH_COMPARISONS(2, ges, __vavgu2(a ^ 0x80008000u, b ^ 0x7fff7fffu))
__WARPSMITH_COMPARISONS(2, lts, __vhaddu2(b ^ 0x80008000u, a ^ 0x7fff7fffu))
__WARPSMITH_COMPARISONS(2, les, __vavgu2(b ^ 0x80008000u, a ^ 0x7fff7fffu))
__WARPSMITH_COMPARISONS(4, eq, ~__warpsmith_not_zero4(a ^ b))
__WARPSMITH_COMPARISONS(4, ne, __warpsmith_not_zero4(a ^ b))
__WARPSMITH_COMPARISONS(4, gtu, __vhaddu4(a, ~b))
__WARPSMITH_COMPARISONS(4, geu, __vavgu4(a, ~b))
__WARPSMITH_COMPARISONS(4, ltu, __vhaddu4(b, ~a))
__WARPSMITH_COMPARISONS(4, leu, __vavgu4(b, ~a))
__WARPSMITH_COMPARISONS(4, gts, __vhaddu4(a ^ 0x80808080u, b ^ 0x7f7f7f7fu))
__WARPSMITH_COMPARISONS(4, ges, __vavgu4(a ^ 0x80808080u, b ^ 0x7f7f7f7fu))
__WARPSMITH_COMPARISONS(4, lts, __vhaddu4(b ^ 0x80808080u, a ^ 0x7f7f7f7fu))
__WARPSMITH_COMPARISONS(4, les, __vavgu4(b ^ 0x80808080u, a ^ 0x7f7f7f7fu))
#undef __WARPSMITH_COMPARISONS

// The upper halves of words decide which word is greater; the lower ones are compared as upper ones.
#define __WARPSMITH_EXTREME2(name, type, choice)                                                                          \
    __WARPSMITH_DEVICE unsigned __v##name##2(unsigned a, unsigned b) {                                                    \
        type x = (type)a, y = (type)b, u = (type)(a << 16), v = (type)(b << 16);                                          \
        return ((unsigned)(x choice y ? x : y) & 0xffff0000u) | ((unsigned)(u choice v ? u : v) >> 16);                   \
    }
__WARPSMITH_EXTREME2(mins, int, <)
__WARPSMITH_EXTREME2(minu, unsigned, <)
__WARPSMITH_EXTREME2(maxs, int, >)
__WARPSMITH_EXTREME2(maxu, unsigned, >)
#undef __WARPSMITH_EXTREME2
__WARPSMITH_DEVICE unsigned __warpsmith_choose(unsigned mask, unsigned a, unsigned b) { return (a & mask) | (b & ~mask); }
__WARPSMITH_DEVICE unsigned __vmins4(unsigned a, unsigned b) { return __warpsmith_choose(__vcmpgts4(a, b), b, a); }
__WARPSMITH_DEVICE unsigned __vminu4(unsigned a, unsigned b) { return __warpsmith_choose(__vcmpgtu4(a, b), b, a); }
__WARPSMITH_DEVICE unsigned __vmaxs4(unsigned a, unsigned b) { return __warpsmith_choose(__vcmpgts4(a, b), a, b); }
__WARPSMITH_DEVICE unsigned __vmaxu4(unsigned a, unsigned b) { return __warpsmith_choose(__vcmpgtu4(a, b), a, b); }

// Absolute values: negative elements are turned and 1 is added, which the least number survives.
__WARPSMITH_DEVICE unsigned __vabs2(unsigned a) {
    unsigned signs = __warpsmith_signs2(a);
    return (a ^ signs) + (signs & 0x00010001u);
}
__WARPSMITH_DEVICE unsigned __vabs4(unsigned a) {
    unsigned signs = __warpsmith_signs4(a);
    return (a ^ signs) + (signs & 0x01010101u);
}
__WARPSMITH_DEVICE unsigned __vabsss2(unsigned a) {
    unsigned absolute = __vabs2(a);
    return absolute - ((absolute >> 15) & 0x00010001u);
}
__WARPSMITH_DEVICE unsigned __vabsss4(unsigned a) {
    unsigned absolute = __vabs4(a);
    return absolute - ((absolute >> 7) & 0x01010101u);
}
__WARPSMITH_DEVICE unsigned __vabsdiffu4(unsigned a, unsigned b) {
    unsigned result;
    asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(0));
    return result;
}
__WARPSMITH_DEVICE unsigned __vabsdiffs4(unsigned a, unsigned b) { return __vabsdiffu4(a ^ 0x80808080u, b ^ 0x80808080u); }
__WARPSMITH_DEVICE unsigned __vsadu4(unsigned a, unsigned b) {
    unsigned result;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(0));
    return result;
}
__WARPSMITH_DEVICE unsigned __vsads4(unsigned a, unsigned b) { return __vsadu4(a ^ 0x80808080u, b ^ 0x80808080u); }

__WARPSMITH_HALVES(__vaddss2, short, __warpsmith_clamp(x + y, -32768, 32767))
__WARPSMITH_HALVES(__vaddus2, unsigned short, __warpsmith_clamp(x + y, 0, 65535))
__WARPSMITH_HALVES(__vsubss2, short, __warpsmith_clamp(x - y, -32768, 32767))
__WARPSMITH_HALVES(__vsubus2, unsigned short, __warpsmith_clamp(x - y, 0, 65535))
__WARPSMITH_HALVES(__vavgs2, short, (x + y + (x + y >= 0)) >> 1)
__WARPSMITH_HALVES(__vabsdiffs2, short, x > y ? x - y : y - x)
__WARPSMITH_HALVES(__vabsdiffu2, unsigned short, x > y ? x - y : y - x)
__WARPSMITH_DEVICE unsigned __vnegss2(unsigned a) { return __vsubss2(0, a); }
__WARPSMITH_DEVICE unsigned __vsads2(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        int x = (short)(a >> shift), y = (short)(b >> shift);
        result += (unsigned)(x > y ? x - y : y - x);
    }
    return result;
}
__WARPSMITH_DEVICE unsigned __vsadu2(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        int x = (unsigned short)(a >> shift), y = (unsigned short)(b >> shift);
        result += (unsigned)(x > y ? x - y : y - x);
    }
    return result;
}
__WARPSMITH_BYTES(__vaddss4, signed char, __warpsmith_clamp(x + y, -128, 127))
__WARPSMITH_BYTES(__vaddus4, unsigned char, __warpsmith_clamp(x + y, 0, 255))
__WARPSMITH_BYTES(__vsubss4, signed char, __warpsmith_clamp(x - y, -128, 127))
__WARPSMITH_BYTES(__vsubus4, unsigned char, __warpsmith_clamp(x - y, 0, 255))
__WARPSMITH_BYTES(__vavgs4, signed char, (x + y + (x + y >= 0)) >> 1)
__WARPSMITH_DEVICE unsigned __vnegss4(unsigned a) { return __vsubss4(0, a); }

#undef __WARPSMITH_HALVES
#undef __WARPSMITH_BYTES
