//! Functions that are known and not to be had: most have no instruction, and nvcc's compiler or its assembler refuses them for every target that there is here.

use super::{Builtin, Lowering};

const fn refused(name: &'static str, signature: &'static str, why: &'static str) -> Builtin {
    Builtin {
        name,
        signature,
        lowering: Lowering::Refused(why),
    }
}

/// All of them.
#[rustfmt::skip]
pub(super) const REFUSED: &[Builtin] = &[
    refused("__nvvm_vote_all", "int(int)", "votes without a mask ended with sm_70: `__nvvm_vote_all_sync` takes one"),
    refused("__nvvm_vote_any", "int(int)", "votes without a mask ended with sm_70: `__nvvm_vote_any_sync` takes one"),
    refused("__nvvm_vote_uni", "int(int)", "votes without a mask ended with sm_70: `__nvvm_vote_uni_sync` takes one"),
    refused("__nvvm_vote_ballot", "unsigned(int)", "votes without a mask ended with sm_70: `__nvvm_vote_ballot_sync` takes one"),
    refused("__all", "int(int)", "votes without a mask ended with sm_70: `__all_sync` takes one"),
    refused("__any", "int(int)", "votes without a mask ended with sm_70: `__any_sync` takes one"),
    refused("__ballot", "unsigned(int)", "votes without a mask ended with sm_70: `__ballot_sync` takes one"),
    refused("__prof_trigger", "void(int)", "write `pmevent` as inline assembly"),
    refused("__nv_aligned_device_malloc_impl", "void *(unsigned long, unsigned long)", "`malloc` aligns to 16 bytes"),
    refused("__nvvm_ex2_approx_d", "double(double)", "`ex2` has no form for double precision"),
    refused("__nvvm_lg2_approx_d", "double(double)", "`lg2` has no form for double precision"),
    refused("__nv_p2r", "void(unsigned, bool *, unsigned, unsigned *)", "PTX has no instruction that packs predicates"),
    refused("__nv_r2p", "void(unsigned, bool *, unsigned, unsigned)", "PTX has no instruction that unpacks predicates"),
    refused("__nv_tex_surf_handler", "generic", "only a toolkit's headers of textures and surfaces call it, and the built-in ones stand for those"),
    refused("__wgmma_mma_async_f16", "generic", "write `wgmma.mma_async` as inline assembly"),
    refused("__wgmma_mma_async_bf16", "generic", "write `wgmma.mma_async` as inline assembly"),
    refused("__wgmma_mma_async_tf32", "generic", "write `wgmma.mma_async` as inline assembly"),
    refused("__wgmma_mma_async_f8", "generic", "write `wgmma.mma_async` as inline assembly"),
];
