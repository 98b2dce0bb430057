//! What the headers of newer toolkits declare without a body, and call, where those before had inline assembly.

use super::pointers::object;
use super::{AtomicObject, AtomicScope, Builtin, Operation, intrinsic, operation};

/// All of them that take numbers and pointers; those on vectors are in the library.
#[rustfmt::skip]
pub(super) const TOOLKIT: &[Builtin] = &[
    intrinsic("__nv_activemask_impl", "unsigned()", "llvm.nvvm.activemask"),
    intrinsic("__pm0", "unsigned()", "llvm.nvvm.read.ptx.sreg.pm0"),
    intrinsic("__pm1", "unsigned()", "llvm.nvvm.read.ptx.sreg.pm1"),
    intrinsic("__pm2", "unsigned()", "llvm.nvvm.read.ptx.sreg.pm2"),
    intrinsic("__pm3", "unsigned()", "llvm.nvvm.read.ptx.sreg.pm3"),
    // Funnel shifts: the upper word, the lower, by how much.
    intrinsic("__nv_fshl_wrap_impl", "unsigned(unsigned, unsigned, unsigned)", "llvm.fshl.i32"),
    intrinsic("__nv_fshl_clamp_impl", "unsigned(unsigned, unsigned, unsigned)", "llvm.nvvm.fshl.clamp"),
    intrinsic("__nv_fshr_wrap_impl", "unsigned(unsigned, unsigned, unsigned)", "llvm.fshr.i32"),
    intrinsic("__nv_fshr_clamp_impl", "unsigned(unsigned, unsigned, unsigned)", "llvm.nvvm.fshr.clamp"),
    intrinsic("__nv_idp4a_s_s_impl", "int(int, int, int)", "llvm.nvvm.idp4a.s.s"),
    intrinsic("__nv_idp4a_u_u_impl", "unsigned(unsigned, unsigned, unsigned)", "llvm.nvvm.idp4a.u.u"),
    // Loads from memory that nothing writes.
    operation("__nv_ldg_l_impl", "long(const long *)", Operation::LoadReadOnly),
    operation("__nv_ldg_ul_impl", "unsigned long(const unsigned long *)", Operation::LoadReadOnly),
    operation("__nv_ldg_c_impl", "char(const char *)", Operation::LoadReadOnly),
    operation("__nv_ldg_sc_impl", "signed char(const signed char *)", Operation::LoadReadOnly),
    operation("__nv_ldg_s_impl", "short(const short *)", Operation::LoadReadOnly),
    operation("__nv_ldg_i_impl", "int(const int *)", Operation::LoadReadOnly),
    operation("__nv_ldg_ll_impl", "long long(const long long *)", Operation::LoadReadOnly),
    operation("__nv_ldg_uc_impl", "unsigned char(const unsigned char *)", Operation::LoadReadOnly),
    operation("__nv_ldg_us_impl", "unsigned short(const unsigned short *)", Operation::LoadReadOnly),
    operation("__nv_ldg_ui_impl", "unsigned(const unsigned *)", Operation::LoadReadOnly),
    operation("__nv_ldg_ull_impl", "unsigned long long(const unsigned long long *)", Operation::LoadReadOnly),
    operation("__nv_ldg_f_impl", "float(const float *)", Operation::LoadReadOnly),
    operation("__nv_ldg_d_impl", "double(const double *)", Operation::LoadReadOnly),
    // Atomics on 128 bits.
    object("__u128AtomicExch", "void(void *, void *, void *)", AtomicObject::Exchange, AtomicScope::Device),
    object("__u128AtomicCAS", "void(void *, void *, void *, void *)", AtomicObject::CompareExchange, AtomicScope::Device),
    object("__u128AtomicExch_block", "void(void *, void *, void *)", AtomicObject::Exchange, AtomicScope::Block),
    object("__u128AtomicCAS_block", "void(void *, void *, void *, void *)", AtomicObject::CompareExchange, AtomicScope::Block),
    object("__u128AtomicExch_system", "void(void *, void *, void *)", AtomicObject::Exchange, AtomicScope::System),
    object("__u128AtomicCAS_system", "void(void *, void *, void *, void *)", AtomicObject::CompareExchange, AtomicScope::System),
];
