// Conversions with a rounding mode, bits of numbers, arithmetic with a rounding mode.
#pragma once

__WARPSMITH_BOTH int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__WARPSMITH_BOTH unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__WARPSMITH_BOTH float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__WARPSMITH_BOTH float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__WARPSMITH_BOTH long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__WARPSMITH_BOTH double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__WARPSMITH_DEVICE int __double2hiint(double x) { return __nvvm_d2i_hi(x); }
__WARPSMITH_DEVICE int __double2loint(double x) { return __nvvm_d2i_lo(x); }
__WARPSMITH_DEVICE double __hiloint2double(int high, int low) { return __nvvm_lohi_i2d(low, high); }

// The suffix says how to round: to nearest even, towards zero, down, up.
__WARPSMITH_DEVICE int __float2int_rn(float x) { return __nvvm_f2i_rn(x); }
__WARPSMITH_DEVICE int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
__WARPSMITH_DEVICE int __float2int_rd(float x) { return __nvvm_f2i_rm(x); }
__WARPSMITH_DEVICE int __float2int_ru(float x) { return __nvvm_f2i_rp(x); }
__WARPSMITH_DEVICE unsigned __float2uint_rn(float x) { return __nvvm_f2ui_rn(x); }
__WARPSMITH_DEVICE unsigned __float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
__WARPSMITH_DEVICE unsigned __float2uint_rd(float x) { return __nvvm_f2ui_rm(x); }
__WARPSMITH_DEVICE unsigned __float2uint_ru(float x) { return __nvvm_f2ui_rp(x); }
__WARPSMITH_DEVICE long long __float2ll_rn(float x) { return __nvvm_f2ll_rn(x); }
__WARPSMITH_DEVICE long long __float2ll_rz(float x) { return __nvvm_f2ll_rz(x); }
__WARPSMITH_DEVICE long long __float2ll_rd(float x) { return __nvvm_f2ll_rm(x); }
__WARPSMITH_DEVICE long long __float2ll_ru(float x) { return __nvvm_f2ll_rp(x); }
__WARPSMITH_DEVICE unsigned long long __float2ull_rn(float x) { return __nvvm_f2ull_rn(x); }
__WARPSMITH_DEVICE unsigned long long __float2ull_rz(float x) { return __nvvm_f2ull_rz(x); }
__WARPSMITH_DEVICE unsigned long long __float2ull_rd(float x) { return __nvvm_f2ull_rm(x); }
__WARPSMITH_DEVICE unsigned long long __float2ull_ru(float x) { return __nvvm_f2ull_rp(x); }
__WARPSMITH_DEVICE int __double2int_rn(double x) { return __nvvm_d2i_rn(x); }
__WARPSMITH_DEVICE int __double2int_rz(double x) { return __nvvm_d2i_rz(x); }
__WARPSMITH_DEVICE int __double2int_rd(double x) { return __nvvm_d2i_rm(x); }
__WARPSMITH_DEVICE int __double2int_ru(double x) { return __nvvm_d2i_rp(x); }
__WARPSMITH_DEVICE unsigned __double2uint_rn(double x) { return __nvvm_d2ui_rn(x); }
__WARPSMITH_DEVICE unsigned __double2uint_rz(double x) { return __nvvm_d2ui_rz(x); }
__WARPSMITH_DEVICE unsigned __double2uint_rd(double x) { return __nvvm_d2ui_rm(x); }
__WARPSMITH_DEVICE unsigned __double2uint_ru(double x) { return __nvvm_d2ui_rp(x); }
__WARPSMITH_DEVICE long long __double2ll_rn(double x) { return __nvvm_d2ll_rn(x); }
__WARPSMITH_DEVICE long long __double2ll_rz(double x) { return __nvvm_d2ll_rz(x); }
__WARPSMITH_DEVICE long long __double2ll_rd(double x) { return __nvvm_d2ll_rm(x); }
__WARPSMITH_DEVICE long long __double2ll_ru(double x) { return __nvvm_d2ll_rp(x); }
__WARPSMITH_DEVICE unsigned long long __double2ull_rn(double x) { return __nvvm_d2ull_rn(x); }
__WARPSMITH_DEVICE unsigned long long __double2ull_rz(double x) { return __nvvm_d2ull_rz(x); }
__WARPSMITH_DEVICE unsigned long long __double2ull_rd(double x) { return __nvvm_d2ull_rm(x); }
__WARPSMITH_DEVICE unsigned long long __double2ull_ru(double x) { return __nvvm_d2ull_rp(x); }
__WARPSMITH_DEVICE float __int2float_rn(int x) { return __nvvm_i2f_rn(x); }
__WARPSMITH_DEVICE float __int2float_rz(int x) { return __nvvm_i2f_rz(x); }
__WARPSMITH_DEVICE float __int2float_rd(int x) { return __nvvm_i2f_rm(x); }
__WARPSMITH_DEVICE float __int2float_ru(int x) { return __nvvm_i2f_rp(x); }
__WARPSMITH_DEVICE float __uint2float_rn(unsigned x) { return __nvvm_ui2f_rn(x); }
__WARPSMITH_DEVICE float __uint2float_rz(unsigned x) { return __nvvm_ui2f_rz(x); }
__WARPSMITH_DEVICE float __uint2float_rd(unsigned x) { return __nvvm_ui2f_rm(x); }
__WARPSMITH_DEVICE float __uint2float_ru(unsigned x) { return __nvvm_ui2f_rp(x); }
__WARPSMITH_DEVICE float __ll2float_rn(long long x) { return __nvvm_ll2f_rn(x); }
__WARPSMITH_DEVICE float __ll2float_rz(long long x) { return __nvvm_ll2f_rz(x); }
__WARPSMITH_DEVICE float __ll2float_rd(long long x) { return __nvvm_ll2f_rm(x); }
__WARPSMITH_DEVICE float __ll2float_ru(long long x) { return __nvvm_ll2f_rp(x); }
__WARPSMITH_DEVICE float __ull2float_rn(unsigned long long x) { return __nvvm_ull2f_rn(x); }
__WARPSMITH_DEVICE float __ull2float_rz(unsigned long long x) { return __nvvm_ull2f_rz(x); }
__WARPSMITH_DEVICE float __ull2float_rd(unsigned long long x) { return __nvvm_ull2f_rm(x); }
__WARPSMITH_DEVICE float __ull2float_ru(unsigned long long x) { return __nvvm_ull2f_rp(x); }
__WARPSMITH_DEVICE double __ll2double_rn(long long x) { return __nvvm_ll2d_rn(x); }
__WARPSMITH_DEVICE double __ll2double_rz(long long x) { return __nvvm_ll2d_rz(x); }
__WARPSMITH_DEVICE double __ll2double_rd(long long x) { return __nvvm_ll2d_rm(x); }
__WARPSMITH_DEVICE double __ll2double_ru(long long x) { return __nvvm_ll2d_rp(x); }
__WARPSMITH_DEVICE double __ull2double_rn(unsigned long long x) { return __nvvm_ull2d_rn(x); }
__WARPSMITH_DEVICE double __ull2double_rz(unsigned long long x) { return __nvvm_ull2d_rz(x); }
__WARPSMITH_DEVICE double __ull2double_rd(unsigned long long x) { return __nvvm_ull2d_rm(x); }
__WARPSMITH_DEVICE double __ull2double_ru(unsigned long long x) { return __nvvm_ull2d_rp(x); }
__WARPSMITH_DEVICE float __double2float_rn(double x) { return __nvvm_d2f_rn(x); }
__WARPSMITH_DEVICE float __double2float_rz(double x) { return __nvvm_d2f_rz(x); }
__WARPSMITH_DEVICE float __double2float_rd(double x) { return __nvvm_d2f_rm(x); }
__WARPSMITH_DEVICE float __double2float_ru(double x) { return __nvvm_d2f_rp(x); }
__WARPSMITH_DEVICE double __int2double_rn(int x) { return (double)x; }
__WARPSMITH_DEVICE double __uint2double_rn(unsigned x) { return (double)x; }

// Arithmetic that is never contracted.
__WARPSMITH_DEVICE float __fadd_rn(float x, float y) { return __nvvm_add_rn_f(x, y); }
__WARPSMITH_DEVICE double __dadd_rn(double x, double y) { return __nvvm_add_rn_d(x, y); }
__WARPSMITH_DEVICE float __fmul_rn(float x, float y) { return __nvvm_mul_rn_f(x, y); }
__WARPSMITH_DEVICE double __dmul_rn(double x, double y) { return __nvvm_mul_rn_d(x, y); }
__WARPSMITH_DEVICE float __fdiv_rn(float x, float y) { return __nvvm_div_rn_f(x, y); }
__WARPSMITH_DEVICE double __ddiv_rn(double x, double y) { return __nvvm_div_rn_d(x, y); }
__WARPSMITH_DEVICE float __fsub_rn(float x, float y) { return __nvvm_add_rn_f(x, -y); }
__WARPSMITH_DEVICE double __dsub_rn(double x, double y) { return __nvvm_add_rn_d(x, -y); }
__WARPSMITH_DEVICE float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
__WARPSMITH_DEVICE double __drcp_rn(double x) { return __nvvm_rcp_rn_d(x); }
__WARPSMITH_DEVICE float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
__WARPSMITH_DEVICE double __dsqrt_rn(double x) { return __nvvm_sqrt_rn_d(x); }
__WARPSMITH_DEVICE float __fmaf_rn(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
__WARPSMITH_DEVICE double __fma_rn(double x, double y, double z) { return __nvvm_fma_rn_d(x, y, z); }
__WARPSMITH_DEVICE float __fmaf_ieee_rn(float x, float y, float z) { return __warpsmith_ieee_fma_rn_f(x, y, z); }
__WARPSMITH_DEVICE float __fadd_rz(float x, float y) { return __nvvm_add_rz_f(x, y); }
__WARPSMITH_DEVICE double __dadd_rz(double x, double y) { return __nvvm_add_rz_d(x, y); }
__WARPSMITH_DEVICE float __fmul_rz(float x, float y) { return __nvvm_mul_rz_f(x, y); }
__WARPSMITH_DEVICE double __dmul_rz(double x, double y) { return __nvvm_mul_rz_d(x, y); }
__WARPSMITH_DEVICE float __fdiv_rz(float x, float y) { return __nvvm_div_rz_f(x, y); }
__WARPSMITH_DEVICE double __ddiv_rz(double x, double y) { return __nvvm_div_rz_d(x, y); }
__WARPSMITH_DEVICE float __fsub_rz(float x, float y) { return __nvvm_add_rz_f(x, -y); }
__WARPSMITH_DEVICE double __dsub_rz(double x, double y) { return __nvvm_add_rz_d(x, -y); }
__WARPSMITH_DEVICE float __frcp_rz(float x) { return __nvvm_rcp_rz_f(x); }
__WARPSMITH_DEVICE double __drcp_rz(double x) { return __nvvm_rcp_rz_d(x); }
__WARPSMITH_DEVICE float __fsqrt_rz(float x) { return __nvvm_sqrt_rz_f(x); }
__WARPSMITH_DEVICE double __dsqrt_rz(double x) { return __nvvm_sqrt_rz_d(x); }
__WARPSMITH_DEVICE float __fmaf_rz(float x, float y, float z) { return __nvvm_fma_rz_f(x, y, z); }
__WARPSMITH_DEVICE double __fma_rz(double x, double y, double z) { return __nvvm_fma_rz_d(x, y, z); }
__WARPSMITH_DEVICE float __fmaf_ieee_rz(float x, float y, float z) { return __warpsmith_ieee_fma_rz_f(x, y, z); }
__WARPSMITH_DEVICE float __fadd_rd(float x, float y) { return __nvvm_add_rm_f(x, y); }
__WARPSMITH_DEVICE double __dadd_rd(double x, double y) { return __nvvm_add_rm_d(x, y); }
__WARPSMITH_DEVICE float __fmul_rd(float x, float y) { return __nvvm_mul_rm_f(x, y); }
__WARPSMITH_DEVICE double __dmul_rd(double x, double y) { return __nvvm_mul_rm_d(x, y); }
__WARPSMITH_DEVICE float __fdiv_rd(float x, float y) { return __nvvm_div_rm_f(x, y); }
__WARPSMITH_DEVICE double __ddiv_rd(double x, double y) { return __nvvm_div_rm_d(x, y); }
__WARPSMITH_DEVICE float __fsub_rd(float x, float y) { return __nvvm_add_rm_f(x, -y); }
__WARPSMITH_DEVICE double __dsub_rd(double x, double y) { return __nvvm_add_rm_d(x, -y); }
__WARPSMITH_DEVICE float __frcp_rd(float x) { return __nvvm_rcp_rm_f(x); }
__WARPSMITH_DEVICE double __drcp_rd(double x) { return __nvvm_rcp_rm_d(x); }
__WARPSMITH_DEVICE float __fsqrt_rd(float x) { return __nvvm_sqrt_rm_f(x); }
__WARPSMITH_DEVICE double __dsqrt_rd(double x) { return __nvvm_sqrt_rm_d(x); }
__WARPSMITH_DEVICE float __fmaf_rd(float x, float y, float z) { return __nvvm_fma_rm_f(x, y, z); }
__WARPSMITH_DEVICE double __fma_rd(double x, double y, double z) { return __nvvm_fma_rm_d(x, y, z); }
__WARPSMITH_DEVICE float __fmaf_ieee_rd(float x, float y, float z) { return __warpsmith_ieee_fma_rm_f(x, y, z); }
__WARPSMITH_DEVICE float __fadd_ru(float x, float y) { return __nvvm_add_rp_f(x, y); }
__WARPSMITH_DEVICE double __dadd_ru(double x, double y) { return __nvvm_add_rp_d(x, y); }
__WARPSMITH_DEVICE float __fmul_ru(float x, float y) { return __nvvm_mul_rp_f(x, y); }
__WARPSMITH_DEVICE double __dmul_ru(double x, double y) { return __nvvm_mul_rp_d(x, y); }
__WARPSMITH_DEVICE float __fdiv_ru(float x, float y) { return __nvvm_div_rp_f(x, y); }
__WARPSMITH_DEVICE double __ddiv_ru(double x, double y) { return __nvvm_div_rp_d(x, y); }
__WARPSMITH_DEVICE float __fsub_ru(float x, float y) { return __nvvm_add_rp_f(x, -y); }
__WARPSMITH_DEVICE double __dsub_ru(double x, double y) { return __nvvm_add_rp_d(x, -y); }
__WARPSMITH_DEVICE float __frcp_ru(float x) { return __nvvm_rcp_rp_f(x); }
__WARPSMITH_DEVICE double __drcp_ru(double x) { return __nvvm_rcp_rp_d(x); }
__WARPSMITH_DEVICE float __fsqrt_ru(float x) { return __nvvm_sqrt_rp_f(x); }
__WARPSMITH_DEVICE double __dsqrt_ru(double x) { return __nvvm_sqrt_rp_d(x); }
__WARPSMITH_DEVICE float __fmaf_ru(float x, float y, float z) { return __nvvm_fma_rp_f(x, y, z); }
__WARPSMITH_DEVICE double __fma_ru(double x, double y, double z) { return __nvvm_fma_rp_d(x, y, z); }
__WARPSMITH_DEVICE float __fmaf_ieee_ru(float x, float y, float z) { return __warpsmith_ieee_fma_rp_f(x, y, z); }
