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

__WARPSMITH_HALVES(__vaddss2, short, __warpsmith_clamp(x + y, -32768, 32767))
__WARPSMITH_HALVES(__vaddus2, unsigned short, __warpsmith_clamp(x + y, 0, 65535))
__WARPSMITH_HALVES(__vsubss2, short, __warpsmith_clamp(x - y, -32768, 32767))
__WARPSMITH_HALVES(__vsubus2, unsigned short, __warpsmith_clamp(x - y, 0, 65535))
__WARPSMITH_HALVES(__vavgs2, short, (x + y + (x + y >= 0)) >> 1)
__WARPSMITH_HALVES(__vmins2, short, x < y ? x : y)
__WARPSMITH_HALVES(__vminu2, unsigned short, x < y ? x : y)
__WARPSMITH_HALVES(__vmaxs2, short, x > y ? x : y)
__WARPSMITH_HALVES(__vmaxu2, unsigned short, x > y ? x : y)
__WARPSMITH_HALVES(__vabsdiffs2, short, x > y ? x - y : y - x)
__WARPSMITH_HALVES(__vabsdiffu2, unsigned short, x > y ? x - y : y - x)
__WARPSMITH_HALVES(__vcmpeq2, unsigned short, -(x == y))
__WARPSMITH_HALVES(__vseteq2, unsigned short, x == y)
__WARPSMITH_HALVES(__vcmpne2, unsigned short, -(x != y))
__WARPSMITH_HALVES(__vsetne2, unsigned short, x != y)
__WARPSMITH_HALVES(__vcmpges2, short, -(x >= y))
__WARPSMITH_HALVES(__vsetges2, short, x >= y)
__WARPSMITH_HALVES(__vcmpgeu2, unsigned short, -(x >= y))
__WARPSMITH_HALVES(__vsetgeu2, unsigned short, x >= y)
__WARPSMITH_HALVES(__vcmpgts2, short, -(x > y))
__WARPSMITH_HALVES(__vsetgts2, short, x > y)
__WARPSMITH_HALVES(__vcmpgtu2, unsigned short, -(x > y))
__WARPSMITH_HALVES(__vsetgtu2, unsigned short, x > y)
__WARPSMITH_HALVES(__vcmples2, short, -(x <= y))
__WARPSMITH_HALVES(__vsetles2, short, x <= y)
__WARPSMITH_HALVES(__vcmpleu2, unsigned short, -(x <= y))
__WARPSMITH_HALVES(__vsetleu2, unsigned short, x <= y)
__WARPSMITH_HALVES(__vcmplts2, short, -(x < y))
__WARPSMITH_HALVES(__vsetlts2, short, x < y)
__WARPSMITH_HALVES(__vcmpltu2, unsigned short, -(x < y))
__WARPSMITH_HALVES(__vsetltu2, unsigned short, x < y)
__WARPSMITH_DEVICE unsigned __vabs2(unsigned a) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        int x = (short)(a >> shift);
        result |= ((unsigned)(x < 0 ? -x : x) & 0xffffu) << shift;
    }
    return result;
}
__WARPSMITH_DEVICE unsigned __vabsss2(unsigned a) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        int x = (short)(a >> shift);
        result |= ((unsigned)(x == -32768 ? 32767 : x < 0 ? -x : x) & 0xffffu) << shift;
    }
    return result;
}
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
__WARPSMITH_BYTES(__vmins4, signed char, x < y ? x : y)
__WARPSMITH_BYTES(__vminu4, unsigned char, x < y ? x : y)
__WARPSMITH_BYTES(__vmaxs4, signed char, x > y ? x : y)
__WARPSMITH_BYTES(__vmaxu4, unsigned char, x > y ? x : y)
__WARPSMITH_BYTES(__vabsdiffs4, signed char, x > y ? x - y : y - x)
__WARPSMITH_BYTES(__vabsdiffu4, unsigned char, x > y ? x - y : y - x)
__WARPSMITH_BYTES(__vcmpeq4, unsigned char, -(x == y))
__WARPSMITH_BYTES(__vseteq4, unsigned char, x == y)
__WARPSMITH_BYTES(__vcmpne4, unsigned char, -(x != y))
__WARPSMITH_BYTES(__vsetne4, unsigned char, x != y)
__WARPSMITH_BYTES(__vcmpges4, signed char, -(x >= y))
__WARPSMITH_BYTES(__vsetges4, signed char, x >= y)
__WARPSMITH_BYTES(__vcmpgeu4, unsigned char, -(x >= y))
__WARPSMITH_BYTES(__vsetgeu4, unsigned char, x >= y)
__WARPSMITH_BYTES(__vcmpgts4, signed char, -(x > y))
__WARPSMITH_BYTES(__vsetgts4, signed char, x > y)
__WARPSMITH_BYTES(__vcmpgtu4, unsigned char, -(x > y))
__WARPSMITH_BYTES(__vsetgtu4, unsigned char, x > y)
__WARPSMITH_BYTES(__vcmples4, signed char, -(x <= y))
__WARPSMITH_BYTES(__vsetles4, signed char, x <= y)
__WARPSMITH_BYTES(__vcmpleu4, unsigned char, -(x <= y))
__WARPSMITH_BYTES(__vsetleu4, unsigned char, x <= y)
__WARPSMITH_BYTES(__vcmplts4, signed char, -(x < y))
__WARPSMITH_BYTES(__vsetlts4, signed char, x < y)
__WARPSMITH_BYTES(__vcmpltu4, unsigned char, -(x < y))
__WARPSMITH_BYTES(__vsetltu4, unsigned char, x < y)
__WARPSMITH_DEVICE unsigned __vabs4(unsigned a) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        int x = (signed char)(a >> shift);
        result |= ((unsigned)(x < 0 ? -x : x) & 0xffu) << shift;
    }
    return result;
}
__WARPSMITH_DEVICE unsigned __vabsss4(unsigned a) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        int x = (signed char)(a >> shift);
        result |= ((unsigned)(x == -128 ? 127 : x < 0 ? -x : x) & 0xffu) << shift;
    }
    return result;
}
__WARPSMITH_DEVICE unsigned __vnegss4(unsigned a) { return __vsubss4(0, a); }
__WARPSMITH_DEVICE unsigned __vsads4(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        int x = (signed char)(a >> shift), y = (signed char)(b >> shift);
        result += (unsigned)(x > y ? x - y : y - x);
    }
    return result;
}
__WARPSMITH_DEVICE unsigned __vsadu4(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        int x = (unsigned char)(a >> shift), y = (unsigned char)(b >> shift);
        result += (unsigned)(x > y ? x - y : y - x);
    }
    return result;
}

#undef __WARPSMITH_HALVES
#undef __WARPSMITH_BYTES
