// What the headers of toolkits declare without a body, and call, on vectors. Vectors are taken by the alignment and size that the headers give them.

#pragma once
#include "common.cuh"
#include "trigonometry.cuh"

template <class T> struct alignas(2 * sizeof(T)) Two { T x, y; };
template <class T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Four { T x, y, z, w; };

// Loads of memory that nothing writes; bytes come in registers of 16 bits.
#define LOAD_TWO(type, c, word)                                                                                                  \
    word x, y;                                                                                                                   \
    asm("ld.global.nc.v2." type " {%0, %1}, [%2];" : "=" c(x), "=" c(y) : "l"(__nv_cvta_generic_to_global_impl(from)));          \
    to->x = x, to->y = y;
#define LOAD_FOUR(type, c, word)                                                                                                 \
    word x, y, z, w;                                                                                                             \
    asm("ld.global.nc.v4." type " {%0, %1, %2, %3}, [%4];"                                                                       \
        : "=" c(x), "=" c(y), "=" c(z), "=" c(w) : "l"(__nv_cvta_generic_to_global_impl(from)));                                 \
    to->x = x, to->y = y, to->z = z, to->w = w;
FUNCTION void __nv_ldg_c2_impl(const Two<char> *from, Two<char> *to) { LOAD_TWO("s8", "h", short) }
FUNCTION void __nv_ldg_uc2_impl(const Two<unsigned char> *from, Two<unsigned char> *to) { LOAD_TWO("u8", "h", unsigned short) }
FUNCTION void __nv_ldg_s2_impl(const Two<short> *from, Two<short> *to) { LOAD_TWO("s16", "h", short) }
FUNCTION void __nv_ldg_us2_impl(const Two<unsigned short> *from, Two<unsigned short> *to) { LOAD_TWO("u16", "h", unsigned short) }
FUNCTION void __nv_ldg_i2_impl(const Two<int> *from, Two<int> *to) { LOAD_TWO("s32", "r", int) }
FUNCTION void __nv_ldg_ui2_impl(const Two<unsigned> *from, Two<unsigned> *to) { LOAD_TWO("u32", "r", unsigned) }
FUNCTION void __nv_ldg_ll2_impl(const Two<long long> *from, Two<long long> *to) { LOAD_TWO("s64", "l", long long) }
FUNCTION void __nv_ldg_ull2_impl(const Two<unsigned long long> *from, Two<unsigned long long> *to) { LOAD_TWO("u64", "l", unsigned long long) }
FUNCTION void __nv_ldg_f2_impl(const Two<float> *from, Two<float> *to) { LOAD_TWO("f32", "f", float) }
FUNCTION void __nv_ldg_d2_impl(const Two<double> *from, Two<double> *to) { LOAD_TWO("f64", "d", double) }
FUNCTION void __nv_ldg_c4_impl(const Four<char> *from, Four<char> *to) { LOAD_FOUR("s8", "h", short) }
FUNCTION void __nv_ldg_uc4_impl(const Four<unsigned char> *from, Four<unsigned char> *to) { LOAD_FOUR("u8", "h", unsigned short) }
FUNCTION void __nv_ldg_s4_impl(const Four<short> *from, Four<short> *to) { LOAD_FOUR("s16", "h", short) }
FUNCTION void __nv_ldg_us4_impl(const Four<unsigned short> *from, Four<unsigned short> *to) { LOAD_FOUR("u16", "h", unsigned short) }
FUNCTION void __nv_ldg_i4_impl(const Four<int> *from, Four<int> *to) { LOAD_FOUR("s32", "r", int) }
FUNCTION void __nv_ldg_ui4_impl(const Four<unsigned> *from, Four<unsigned> *to) { LOAD_FOUR("u32", "r", unsigned) }
FUNCTION void __nv_ldg_f4_impl(const Four<float> *from, Four<float> *to) { LOAD_FOUR("f32", "f", float) }

// Dot products of 16-bit numbers with the lower or the upper bytes.
#define DOT(half, type, result)                                                                                                  \
    result d;                                                                                                                    \
    asm("dp2a." half "." type "." type " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                                   \
    return d;
FUNCTION int __nv_idp2a_lo_s_s_impl(int a, int b, int c) { DOT("lo", "s32", int) }
FUNCTION int __nv_idp2a_hi_s_s_impl(int a, int b, int c) { DOT("hi", "s32", int) }
FUNCTION unsigned __nv_idp2a_lo_u_u_impl(unsigned a, unsigned b, unsigned c) { DOT("lo", "u32", unsigned) }
FUNCTION unsigned __nv_idp2a_hi_u_u_impl(unsigned a, unsigned b, unsigned c) { DOT("hi", "u32", unsigned) }

// Addresses of parameters of the grid.
FUNCTION unsigned long __nv_cvta_generic_to_param_impl(const void *generic) {
    unsigned long address;
    asm("cvta.to.param.u64 %0, %1;" : "=l"(address) : "l"(generic));
    return address;
}
FUNCTION void *__nv_cvta_param_to_generic_impl(unsigned long address) {
    void *generic;
    asm("cvta.param.u64 %0, %1;" : "=l"(generic) : "l"(address));
    return generic;
}

// Arithmetic on two floats at once, and atomic sums of vectors.
FUNCTION Two<float> __nv_fadd2_rn_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_add_rn_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_fadd2_rz_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_add_rz_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_fadd2_rd_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_add_rm_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_fadd2_ru_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_add_rp_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_fmul2_rn_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_mul_rn_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_fmul2_rz_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_mul_rz_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_fmul2_rd_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_mul_rm_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_fmul2_ru_impl(Two<float> a, Two<float> b) { Two<float> d; __nvvm_mul_rp_f2(&d, &a, &b); return d; }
FUNCTION Two<float> __nv_ffma2_rn_impl(Two<float> a, Two<float> b, Two<float> c) { Two<float> d; __nvvm_fma_rn_f2(&d, &a, &b, &c); return d; }
FUNCTION Two<float> __nv_ffma2_rz_impl(Two<float> a, Two<float> b, Two<float> c) { Two<float> d; __nvvm_fma_rz_f2(&d, &a, &b, &c); return d; }
FUNCTION Two<float> __nv_ffma2_rd_impl(Two<float> a, Two<float> b, Two<float> c) { Two<float> d; __nvvm_fma_rm_f2(&d, &a, &b, &c); return d; }
FUNCTION Two<float> __nv_ffma2_ru_impl(Two<float> a, Two<float> b, Two<float> c) { Two<float> d; __nvvm_fma_rp_f2(&d, &a, &b, &c); return d; }
FUNCTION Two<float> __nv_f2AtomicAdd(Two<float> *to, Two<float> term) { Two<float> old; __nvvm_atom_add_gen_f2(&to->x, &term.x, &old.x); return old; }
FUNCTION Four<float> __nv_f4AtomicAdd(Four<float> *to, Four<float> term) { Four<float> old; __nvvm_atom_add_gen_f4(&to->x, &term.x, &old.x); return old; }
FUNCTION Two<float> __nv_f2AtomicAdd_block(Two<float> *to, Two<float> term) { Two<float> old; __nvvm_atom_cta_add_gen_f2(&to->x, &term.x, &old.x); return old; }
FUNCTION Four<float> __nv_f4AtomicAdd_block(Four<float> *to, Four<float> term) { Four<float> old; __nvvm_atom_cta_add_gen_f4(&to->x, &term.x, &old.x); return old; }
FUNCTION Two<float> __nv_f2AtomicAdd_system(Two<float> *to, Two<float> term) { Two<float> old; __nvvm_atom_sys_add_gen_f2(&to->x, &term.x, &old.x); return old; }
FUNCTION Four<float> __nv_f4AtomicAdd_system(Four<float> *to, Four<float> term) { Four<float> old; __nvvm_atom_sys_add_gen_f4(&to->x, &term.x, &old.x); return old; }

// Sine and cosine of 2 pi x.
FUNCTION float __nv_sin2pif(float x) { return __nv_sinpif(2.0f * x); }
FUNCTION float __nv_cos2pif(float x) { return __nv_cospif(2.0f * x); }
FUNCTION void __nv_sincos2pif(float x, float *sine, float *cosine) { __nv_sincospif(2.0f * x, sine, cosine); }
