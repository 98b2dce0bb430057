// Classes of numbers by testp, signs copied, neighbours and parts by their bits.
extern "C" __global__ void classes(const float *in, unsigned *out) {
    float x = in[threadIdx.x], f;
    unsigned bits = __float_as_uint(x), *to = out + 6 * threadIdx.x, flags = 0, set;
    asm("{.reg .pred p;\n\ttestp.infinite.f32 p, %1;\n\tselp.u32 %0, 1, 0, p;}" : "=r"(set) : "f"(x));
    flags |= set << 1;
    asm("{.reg .pred p;\n\ttestp.finite.f32 p, %1;\n\tselp.u32 %0, 1, 0, p;}" : "=r"(set) : "f"(x));
    flags |= set << 2;
    asm("{.reg .pred p;\n\ttestp.normal.f32 p, %1;\n\tselp.u32 %0, 1, 0, p;}" : "=r"(set) : "f"(x));
    flags |= set << 4;
    asm("{.reg .pred p;\n\ttestp.notanumber.f32 p, %1;\n\tselp.u32 %0, 1, 0, p;}" : "=r"(set) : "f"(x));
    flags |= set;
    to[0] = flags | bits >> 31 << 3;
    asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(3.0f));
    to[1] = __float_as_uint(f);
    // The next number upwards.
    to[2] = bits == 0x7f800000 ? bits : bits << 1 == 0 ? 1 : bits >> 31 ? bits - 1 : bits + 1;
    // Mantissa from 1/2 to 1, and exponent.
    int exponent = 0;
    float m = x;
    if (bits << 1 != 0 && (flags & 4)) {
        if (!(flags & 16)) {
            m *= 16777216.0f;
            exponent = -24;
        }
        unsigned b = __float_as_uint(m);
        exponent += (int)(b >> 23 & 255) - 126;
        m = __uint_as_float(b & 0x807fffff | 0x3f000000);
    }
    to[3] = __float_as_uint(m);
    to[4] = exponent;
    to[5] = __float_as_uint(fabsf(x) < 1e30f ? x * 8 : 0.0f);
}
