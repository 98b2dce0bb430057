//! Functions whose operands or results are behind pointers: pairs of floats, atomics on more than a scalar, the places in a cluster; and the C++ runtime's
//! functions on arrays, which take functions.

use super::{AtomicObject, AtomicScope, Builtin, Lowering, Operation, fragments, library, operation};

pub(super) const fn object(
    name: &'static str,
    signature: &'static str,
    what: AtomicObject,
    scope: AtomicScope,
) -> Builtin {
    Builtin {
        name,
        signature,
        lowering: Lowering::AtomicObject(what, scope),
    }
}

const fn registers(name: &'static str, registers: [&'static str; 3]) -> Builtin {
    Builtin {
        name,
        signature: "void(unsigned *, unsigned *, unsigned *)",
        lowering: Lowering::Registers(registers),
    }
}

/// All of them.
#[rustfmt::skip]
pub(super) const POINTERS: &[Builtin] = &[
    // Arithmetic on two floats at once: the result, then the operands, each a word of 64 bits.
    fragments("__nvvm_add_rn_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rn.f2", 1, &[1, 1]),
    fragments("__nvvm_add_rn_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rn.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_add_rz_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rz.f2", 1, &[1, 1]),
    fragments("__nvvm_add_rz_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rz.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_add_rm_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rm.f2", 1, &[1, 1]),
    fragments("__nvvm_add_rm_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rm.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_add_rp_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rp.f2", 1, &[1, 1]),
    fragments("__nvvm_add_rp_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.add.rp.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rn_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rn.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rn_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rn.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rz_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rz.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rz_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rz.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rm_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rm.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rm_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rm.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rp_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rp.f2", 1, &[1, 1]),
    fragments("__nvvm_mul_rp_ftz_f2", "void(void *, void *, void *)", "llvm.nvvm.mul.rp.ftz.f2", 1, &[1, 1]),
    fragments("__nvvm_fma_rn_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rn.f2", 1, &[1, 1, 1]),
    fragments("__nvvm_fma_rn_ftz_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rn.ftz.f2", 1, &[1, 1, 1]),
    fragments("__nvvm_fma_rz_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rz.f2", 1, &[1, 1, 1]),
    fragments("__nvvm_fma_rz_ftz_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rz.ftz.f2", 1, &[1, 1, 1]),
    fragments("__nvvm_fma_rm_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rm.f2", 1, &[1, 1, 1]),
    fragments("__nvvm_fma_rm_ftz_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rm.ftz.f2", 1, &[1, 1, 1]),
    fragments("__nvvm_fma_rp_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rp.f2", 1, &[1, 1, 1]),
    fragments("__nvvm_fma_rp_ftz_f2", "void(void *, void *, void *, void *)", "llvm.nvvm.fma.rp.ftz.f2", 1, &[1, 1, 1]),
    // Atomics on float2 and float4, and on 128 bits: the address, the operands, where the old value goes.
    object("__nvvm_atom_xchg_gen_128", "void(volatile void *, void *, void *)", AtomicObject::Exchange, AtomicScope::Device),
    object("__nvvm_atom_cas_gen_128", "void(volatile void *, void *, void *, void *)", AtomicObject::CompareExchange, AtomicScope::Device),
    object("__nvvm_atom_add_gen_f2", "void(volatile float *, float *, float *)", AtomicObject::AddFloats(2), AtomicScope::Device),
    object("__nvvm_atom_add_gen_f4", "void(volatile float *, float *, float *)", AtomicObject::AddFloats(4), AtomicScope::Device),
    object("__nvvm_atom_cta_xchg_gen_128", "void(volatile void *, void *, void *)", AtomicObject::Exchange, AtomicScope::Block),
    object("__nvvm_atom_cta_cas_gen_128", "void(volatile void *, void *, void *, void *)", AtomicObject::CompareExchange, AtomicScope::Block),
    object("__nvvm_atom_cta_add_gen_f2", "void(volatile float *, float *, float *)", AtomicObject::AddFloats(2), AtomicScope::Block),
    object("__nvvm_atom_cta_add_gen_f4", "void(volatile float *, float *, float *)", AtomicObject::AddFloats(4), AtomicScope::Block),
    object("__nvvm_atom_sys_xchg_gen_128", "void(volatile void *, void *, void *)", AtomicObject::Exchange, AtomicScope::System),
    object("__nvvm_atom_sys_cas_gen_128", "void(volatile void *, void *, void *, void *)", AtomicObject::CompareExchange, AtomicScope::System),
    object("__nvvm_atom_sys_add_gen_f2", "void(volatile float *, float *, float *)", AtomicObject::AddFloats(2), AtomicScope::System),
    object("__nvvm_atom_sys_add_gen_f4", "void(volatile float *, float *, float *)", AtomicObject::AddFloats(4), AtomicScope::System),
    // Places and sizes of clusters.
    registers("__nv_clusterDim_impl", ["llvm.nvvm.read.ptx.sreg.cluster.nctaid.x", "llvm.nvvm.read.ptx.sreg.cluster.nctaid.y", "llvm.nvvm.read.ptx.sreg.cluster.nctaid.z"]),
    registers("__nv_clusterRelativeBlockIdx_impl", ["llvm.nvvm.read.ptx.sreg.cluster.ctaid.x", "llvm.nvvm.read.ptx.sreg.cluster.ctaid.y", "llvm.nvvm.read.ptx.sreg.cluster.ctaid.z"]),
    registers("__nv_clusterGridDimInClusters_impl", ["llvm.nvvm.read.ptx.sreg.nclusterid.x", "llvm.nvvm.read.ptx.sreg.nclusterid.y", "llvm.nvvm.read.ptx.sreg.nclusterid.z"]),
    registers("__nv_clusterIdx_impl", ["llvm.nvvm.read.ptx.sreg.clusterid.x", "llvm.nvvm.read.ptx.sreg.clusterid.y", "llvm.nvvm.read.ptx.sreg.clusterid.z"]),
    // Asynchronous copies: of the bytes read from global memory, the rest is zero.
    library("__nv_memcpy_async_shared_global_4_impl", "void(void *, const void *, unsigned)", "__nv_memcpy_async_shared_global_4_impl"),
    library("__nv_memcpy_async_shared_global_8_impl", "void(void *, const void *, unsigned)", "__nv_memcpy_async_shared_global_8_impl"),
    library("__nv_memcpy_async_shared_global_16_impl", "void(void *, const void *, unsigned)", "__nv_memcpy_async_shared_global_16_impl"),
    // The C++ runtime.
    operation("_Znwj", "void *(unsigned long)", Operation::OperatorNew),
    operation("_Znwm", "void *(unsigned long)", Operation::OperatorNew),
    operation("_Znwy", "void *(unsigned long long)", Operation::OperatorNew),
    operation("_Znaj", "void *(unsigned long)", Operation::OperatorNew),
    operation("_Znam", "void *(unsigned long)", Operation::OperatorNew),
    operation("_Znay", "void *(unsigned long long)", Operation::OperatorNew),
    operation("_ZdlPv", "void(void *)", Operation::OperatorDelete),
    operation("_ZdlPvm", "void(void *, unsigned long)", Operation::OperatorDelete),
    operation("_ZdlPvy", "void(void *, unsigned long long)", Operation::OperatorDelete),
    operation("_ZdaPv", "void(void *)", Operation::OperatorDelete),
    operation("_ZdaPvm", "void(void *, unsigned long)", Operation::OperatorDelete),
    operation("_ZdaPvy", "void(void *, unsigned long long)", Operation::OperatorDelete),
    library("__cxa_vec_ctor", "void(void *, unsigned long, unsigned long, void (*)(void *), void (*)(void *))", "__nv_cxa_vec_ctor"),
    library("__cxa_vec_cctor", "void(void *, void *, unsigned long, unsigned long, void (*)(void *, void *), void (*)(void *))", "__nv_cxa_vec_cctor"),
    library("__cxa_vec_dtor", "void(void *, unsigned long, unsigned long, void (*)(void *))", "__nv_cxa_vec_dtor"),
    library("__cxa_vec_new", "void *(unsigned long, unsigned long, unsigned long, void (*)(void *), void (*)(void *))", "__nv_cxa_vec_new"),
    library("__cxa_vec_new2", "void *(unsigned long, unsigned long, unsigned long, void (*)(void *), void (*)(void *), void *(*)(unsigned long), void (*)(void *))", "__nv_cxa_vec_new2"),
    library("__cxa_vec_new3", "void *(unsigned long, unsigned long, unsigned long, void (*)(void *), void (*)(void *), void *(*)(unsigned long), void (*)(void *, unsigned long))", "__nv_cxa_vec_new3"),
    library("__cxa_vec_delete", "void(void *, unsigned long, unsigned long, void (*)(void *))", "__nv_cxa_vec_delete"),
    library("__cxa_vec_delete2", "void(void *, unsigned long, unsigned long, void (*)(void *), void (*)(void *))", "__nv_cxa_vec_delete2"),
    library("__cxa_vec_delete3", "void(void *, unsigned long, unsigned long, void (*)(void *), void (*)(void *, unsigned long))", "__nv_cxa_vec_delete3"),
];
