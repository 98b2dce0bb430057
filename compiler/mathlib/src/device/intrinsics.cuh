// What libdevice names that is one machine operation or two: rounded arithmetic, conversions, bits, and the fast approximations.

#pragma once
#include "common.cuh"

FUNCTION float __nv_fadd_rn(float x, float y) { return __nvvm_add_rn_f(x, y); }
FUNCTION float __nv_fmul_rn(float x, float y) { return __nvvm_mul_rn_f(x, y); }
FUNCTION float __nv_fdiv_rn(float x, float y) { return __nvvm_div_rn_f(x, y); }
FUNCTION float __nv_fsub_rn(float x, float y) { return __nvvm_add_rn_f(x, -y); }
FUNCTION float __nv_frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
FUNCTION float __nv_fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
FUNCTION float __nv_fmaf_rn(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
FUNCTION double __nv_dadd_rn(double x, double y) { return __nvvm_add_rn_d(x, y); }
FUNCTION double __nv_dmul_rn(double x, double y) { return __nvvm_mul_rn_d(x, y); }
FUNCTION double __nv_ddiv_rn(double x, double y) { return __nvvm_div_rn_d(x, y); }
FUNCTION double __nv_dsub_rn(double x, double y) { return __nvvm_add_rn_d(x, -y); }
FUNCTION double __nv_drcp_rn(double x) { return __nvvm_rcp_rn_d(x); }
FUNCTION double __nv_dsqrt_rn(double x) { return __nvvm_sqrt_rn_d(x); }
FUNCTION double __nv_fma_rn(double x, double y, double z) { return __nvvm_fma_rn_d(x, y, z); }
FUNCTION float __nv_double2float_rn(double x) { return __nvvm_d2f_rn(x); }
FUNCTION int __nv_float2int_rn(float x) { return __nvvm_f2i_rn(x); }
FUNCTION int __nv_double2int_rn(double x) { return __nvvm_d2i_rn(x); }
FUNCTION float __nv_int2float_rn(int x) { return __nvvm_i2f_rn(x); }
FUNCTION long long __nv_float2ll_rn(float x) { return __nvvm_f2ll_rn(x); }
FUNCTION long long __nv_double2ll_rn(double x) { return __nvvm_d2ll_rn(x); }
FUNCTION float __nv_ll2float_rn(long long x) { return __nvvm_ll2f_rn(x); }
FUNCTION double __nv_ll2double_rn(long long x) { return __nvvm_ll2d_rn(x); }
FUNCTION unsigned __nv_float2uint_rn(float x) { return __nvvm_f2ui_rn(x); }
FUNCTION unsigned __nv_double2uint_rn(double x) { return __nvvm_d2ui_rn(x); }
FUNCTION float __nv_uint2float_rn(unsigned x) { return __nvvm_ui2f_rn(x); }
FUNCTION unsigned long long __nv_float2ull_rn(float x) { return __nvvm_f2ull_rn(x); }
FUNCTION unsigned long long __nv_double2ull_rn(double x) { return __nvvm_d2ull_rn(x); }
FUNCTION float __nv_ull2float_rn(unsigned long long x) { return __nvvm_ull2f_rn(x); }
FUNCTION double __nv_ull2double_rn(unsigned long long x) { return __nvvm_ull2d_rn(x); }
FUNCTION float __nv_fadd_rz(float x, float y) { return __nvvm_add_rz_f(x, y); }
FUNCTION float __nv_fmul_rz(float x, float y) { return __nvvm_mul_rz_f(x, y); }
FUNCTION float __nv_fdiv_rz(float x, float y) { return __nvvm_div_rz_f(x, y); }
FUNCTION float __nv_fsub_rz(float x, float y) { return __nvvm_add_rz_f(x, -y); }
FUNCTION float __nv_frcp_rz(float x) { return __nvvm_rcp_rz_f(x); }
FUNCTION float __nv_fsqrt_rz(float x) { return __nvvm_sqrt_rz_f(x); }
FUNCTION float __nv_fmaf_rz(float x, float y, float z) { return __nvvm_fma_rz_f(x, y, z); }
FUNCTION double __nv_dadd_rz(double x, double y) { return __nvvm_add_rz_d(x, y); }
FUNCTION double __nv_dmul_rz(double x, double y) { return __nvvm_mul_rz_d(x, y); }
FUNCTION double __nv_ddiv_rz(double x, double y) { return __nvvm_div_rz_d(x, y); }
FUNCTION double __nv_dsub_rz(double x, double y) { return __nvvm_add_rz_d(x, -y); }
FUNCTION double __nv_drcp_rz(double x) { return __nvvm_rcp_rz_d(x); }
FUNCTION double __nv_dsqrt_rz(double x) { return __nvvm_sqrt_rz_d(x); }
FUNCTION double __nv_fma_rz(double x, double y, double z) { return __nvvm_fma_rz_d(x, y, z); }
FUNCTION float __nv_double2float_rz(double x) { return __nvvm_d2f_rz(x); }
FUNCTION int __nv_float2int_rz(float x) { return __nvvm_f2i_rz(x); }
FUNCTION int __nv_double2int_rz(double x) { return __nvvm_d2i_rz(x); }
FUNCTION float __nv_int2float_rz(int x) { return __nvvm_i2f_rz(x); }
FUNCTION long long __nv_float2ll_rz(float x) { return __nvvm_f2ll_rz(x); }
FUNCTION long long __nv_double2ll_rz(double x) { return __nvvm_d2ll_rz(x); }
FUNCTION float __nv_ll2float_rz(long long x) { return __nvvm_ll2f_rz(x); }
FUNCTION double __nv_ll2double_rz(long long x) { return __nvvm_ll2d_rz(x); }
FUNCTION unsigned __nv_float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
FUNCTION unsigned __nv_double2uint_rz(double x) { return __nvvm_d2ui_rz(x); }
FUNCTION float __nv_uint2float_rz(unsigned x) { return __nvvm_ui2f_rz(x); }
FUNCTION unsigned long long __nv_float2ull_rz(float x) { return __nvvm_f2ull_rz(x); }
FUNCTION unsigned long long __nv_double2ull_rz(double x) { return __nvvm_d2ull_rz(x); }
FUNCTION float __nv_ull2float_rz(unsigned long long x) { return __nvvm_ull2f_rz(x); }
FUNCTION double __nv_ull2double_rz(unsigned long long x) { return __nvvm_ull2d_rz(x); }
FUNCTION float __nv_fadd_rd(float x, float y) { return __nvvm_add_rm_f(x, y); }
FUNCTION float __nv_fmul_rd(float x, float y) { return __nvvm_mul_rm_f(x, y); }
FUNCTION float __nv_fdiv_rd(float x, float y) { return __nvvm_div_rm_f(x, y); }
FUNCTION float __nv_fsub_rd(float x, float y) { return __nvvm_add_rm_f(x, -y); }
FUNCTION float __nv_frcp_rd(float x) { return __nvvm_rcp_rm_f(x); }
FUNCTION float __nv_fsqrt_rd(float x) { return __nvvm_sqrt_rm_f(x); }
FUNCTION float __nv_fmaf_rd(float x, float y, float z) { return __nvvm_fma_rm_f(x, y, z); }
FUNCTION double __nv_dadd_rd(double x, double y) { return __nvvm_add_rm_d(x, y); }
FUNCTION double __nv_dmul_rd(double x, double y) { return __nvvm_mul_rm_d(x, y); }
FUNCTION double __nv_ddiv_rd(double x, double y) { return __nvvm_div_rm_d(x, y); }
FUNCTION double __nv_dsub_rd(double x, double y) { return __nvvm_add_rm_d(x, -y); }
FUNCTION double __nv_drcp_rd(double x) { return __nvvm_rcp_rm_d(x); }
FUNCTION double __nv_dsqrt_rd(double x) { return __nvvm_sqrt_rm_d(x); }
FUNCTION double __nv_fma_rd(double x, double y, double z) { return __nvvm_fma_rm_d(x, y, z); }
FUNCTION float __nv_double2float_rd(double x) { return __nvvm_d2f_rm(x); }
FUNCTION int __nv_float2int_rd(float x) { return __nvvm_f2i_rm(x); }
FUNCTION int __nv_double2int_rd(double x) { return __nvvm_d2i_rm(x); }
FUNCTION float __nv_int2float_rd(int x) { return __nvvm_i2f_rm(x); }
FUNCTION long long __nv_float2ll_rd(float x) { return __nvvm_f2ll_rm(x); }
FUNCTION long long __nv_double2ll_rd(double x) { return __nvvm_d2ll_rm(x); }
FUNCTION float __nv_ll2float_rd(long long x) { return __nvvm_ll2f_rm(x); }
FUNCTION double __nv_ll2double_rd(long long x) { return __nvvm_ll2d_rm(x); }
FUNCTION unsigned __nv_float2uint_rd(float x) { return __nvvm_f2ui_rm(x); }
FUNCTION unsigned __nv_double2uint_rd(double x) { return __nvvm_d2ui_rm(x); }
FUNCTION float __nv_uint2float_rd(unsigned x) { return __nvvm_ui2f_rm(x); }
FUNCTION unsigned long long __nv_float2ull_rd(float x) { return __nvvm_f2ull_rm(x); }
FUNCTION unsigned long long __nv_double2ull_rd(double x) { return __nvvm_d2ull_rm(x); }
FUNCTION float __nv_ull2float_rd(unsigned long long x) { return __nvvm_ull2f_rm(x); }
FUNCTION double __nv_ull2double_rd(unsigned long long x) { return __nvvm_ull2d_rm(x); }
FUNCTION float __nv_fadd_ru(float x, float y) { return __nvvm_add_rp_f(x, y); }
FUNCTION float __nv_fmul_ru(float x, float y) { return __nvvm_mul_rp_f(x, y); }
FUNCTION float __nv_fdiv_ru(float x, float y) { return __nvvm_div_rp_f(x, y); }
FUNCTION float __nv_fsub_ru(float x, float y) { return __nvvm_add_rp_f(x, -y); }
FUNCTION float __nv_frcp_ru(float x) { return __nvvm_rcp_rp_f(x); }
FUNCTION float __nv_fsqrt_ru(float x) { return __nvvm_sqrt_rp_f(x); }
FUNCTION float __nv_fmaf_ru(float x, float y, float z) { return __nvvm_fma_rp_f(x, y, z); }
FUNCTION double __nv_dadd_ru(double x, double y) { return __nvvm_add_rp_d(x, y); }
FUNCTION double __nv_dmul_ru(double x, double y) { return __nvvm_mul_rp_d(x, y); }
FUNCTION double __nv_ddiv_ru(double x, double y) { return __nvvm_div_rp_d(x, y); }
FUNCTION double __nv_dsub_ru(double x, double y) { return __nvvm_add_rp_d(x, -y); }
FUNCTION double __nv_drcp_ru(double x) { return __nvvm_rcp_rp_d(x); }
FUNCTION double __nv_dsqrt_ru(double x) { return __nvvm_sqrt_rp_d(x); }
FUNCTION double __nv_fma_ru(double x, double y, double z) { return __nvvm_fma_rp_d(x, y, z); }
FUNCTION float __nv_double2float_ru(double x) { return __nvvm_d2f_rp(x); }
FUNCTION int __nv_float2int_ru(float x) { return __nvvm_f2i_rp(x); }
FUNCTION int __nv_double2int_ru(double x) { return __nvvm_d2i_rp(x); }
FUNCTION float __nv_int2float_ru(int x) { return __nvvm_i2f_rp(x); }
FUNCTION long long __nv_float2ll_ru(float x) { return __nvvm_f2ll_rp(x); }
FUNCTION long long __nv_double2ll_ru(double x) { return __nvvm_d2ll_rp(x); }
FUNCTION float __nv_ll2float_ru(long long x) { return __nvvm_ll2f_rp(x); }
FUNCTION double __nv_ll2double_ru(long long x) { return __nvvm_ll2d_rp(x); }
FUNCTION unsigned __nv_float2uint_ru(float x) { return __nvvm_f2ui_rp(x); }
FUNCTION unsigned __nv_double2uint_ru(double x) { return __nvvm_d2ui_rp(x); }
FUNCTION float __nv_uint2float_ru(unsigned x) { return __nvvm_ui2f_rp(x); }
FUNCTION unsigned long long __nv_float2ull_ru(float x) { return __nvvm_f2ull_rp(x); }
FUNCTION unsigned long long __nv_double2ull_ru(double x) { return __nvvm_d2ull_rp(x); }
FUNCTION float __nv_ull2float_ru(unsigned long long x) { return __nvvm_ull2f_rp(x); }
FUNCTION double __nv_ull2double_ru(unsigned long long x) { return __nvvm_ull2d_rp(x); }
FUNCTION double __nv_int2double_rn(int x) { return (double)x; }
FUNCTION double __nv_uint2double_rn(unsigned x) { return (double)x; }
FUNCTION float __nv_frsqrt_rn(float x) { return (float)(1.0 / root((double)x)); }
FUNCTION long long __nv_double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
FUNCTION double __nv_longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
FUNCTION int __nv_float_as_int(float x) { return __builtin_bit_cast(int, x); }
FUNCTION unsigned __nv_float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
FUNCTION float __nv_int_as_float(int x) { return __builtin_bit_cast(float, x); }
FUNCTION float __nv_uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
FUNCTION int __nv_double2hiint(double x) { return (int)(bits(x) >> 32); }
FUNCTION int __nv_double2loint(double x) { return (int)bits(x); }
FUNCTION double __nv_hiloint2double(int high, int low) { return from_bits(((unsigned long long)(unsigned)high << 32) | (unsigned)low); }
FUNCTION int __nv_abs(int x) { return x < 0 ? -x : x; }
FUNCTION int __nv_min(int x, int y) { return x < y ? x : y; }
FUNCTION int __nv_max(int x, int y) { return x > y ? x : y; }
FUNCTION long long __nv_llabs(long long x) { return x < 0 ? -x : x; }
FUNCTION long long __nv_llmin(long long x, long long y) { return x < y ? x : y; }
FUNCTION long long __nv_llmax(long long x, long long y) { return x > y ? x : y; }
FUNCTION unsigned __nv_umin(unsigned x, unsigned y) { return x < y ? x : y; }
FUNCTION unsigned __nv_umax(unsigned x, unsigned y) { return x > y ? x : y; }
FUNCTION unsigned long long __nv_ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
FUNCTION unsigned long long __nv_ullmax(unsigned long long x, unsigned long long y) { return x > y ? x : y; }
FUNCTION int __nv_mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
FUNCTION unsigned __nv_umulhi(unsigned x, unsigned y) { return __nvvm_mulhi_ui(x, y); }
FUNCTION long long __nv_mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
FUNCTION unsigned long long __nv_umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
FUNCTION int __nv_mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
FUNCTION unsigned __nv_umul24(unsigned x, unsigned y) { return __nvvm_mul24_ui(x, y); }
FUNCTION unsigned __nv_sad(int x, int y, unsigned z) { return z + (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y); }
FUNCTION unsigned __nv_usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
FUNCTION int __nv_clz(int x) { return __nvvm_clz_i(x); }
FUNCTION int __nv_clzll(long long x) { return __nvvm_clz_ll(x); }
FUNCTION int __nv_popc(int x) { return __nvvm_popc_i(x); }
FUNCTION int __nv_popcll(long long x) { return __nvvm_popc_ll(x); }
FUNCTION unsigned __nv_brev(unsigned x) { return __nvvm_brev32(x); }
FUNCTION unsigned long long __nv_brevll(unsigned long long x) { return __nvvm_brev64(x); }
FUNCTION int __nv_ffs(int x) { return x == 0 ? 0 : 32 - __nvvm_clz_i(x & -x); }
FUNCTION int __nv_ffsll(long long x) { return x == 0 ? 0 : 64 - __nvvm_clz_ll(x & -x); }
FUNCTION unsigned __nv_byte_perm(unsigned x, unsigned y, unsigned selector) { return __nvvm_prmt(x, y, selector); }
FUNCTION int __nv_hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
FUNCTION int __nv_rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
FUNCTION unsigned __nv_uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
FUNCTION unsigned __nv_urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }
FUNCTION float __nv_saturatef(float x) { return __nvvm_saturate_f(x); }

// The approximations of the machine.
FUNCTION float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
FUNCTION float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
FUNCTION void __nv_fast_sincosf(float x, float *sine, float *cosine) {
    *sine = __nvvm_sin_approx_f(x);
    *cosine = __nvvm_cos_approx_f(x);
}
FUNCTION float __nv_fast_tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
FUNCTION float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
FUNCTION float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0x1.62e430p-1f; }
FUNCTION float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f; }
FUNCTION float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
FUNCTION float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 0x1.a934f0p+1f); }
FUNCTION float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
FUNCTION float __nv_fast_fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }

// The same whatever is asked for denormals.
FUNCTION float __nv_fmaf_ieee_rn(float x, float y, float z) { return __warpsmith_ieee_fma_rn_f(x, y, z); }
FUNCTION float __nv_fmaf_ieee_rz(float x, float y, float z) { return __warpsmith_ieee_fma_rz_f(x, y, z); }
FUNCTION float __nv_fmaf_ieee_rd(float x, float y, float z) { return __warpsmith_ieee_fma_rm_f(x, y, z); }
FUNCTION float __nv_fmaf_ieee_ru(float x, float y, float z) { return __warpsmith_ieee_fma_rp_f(x, y, z); }
FUNCTION float __nv_fast_tanhf(float x) { return __nvvm_tanh_approx_f(x); }
// The upper word of an approximate reciprocal; the lower is zero.
FUNCTION double __nv_rcp64h(double x) { return __nvvm_rcp_approx_ftz_d(x); }
FUNCTION float __nv_half2float(unsigned short x) { return __nvvm_h2f(x); }
FUNCTION unsigned short __nv_float2half_rn(float x) { return __nvvm_f2h_rn(x); }
