//! The passes.

pub(crate) mod byval;
pub(crate) mod dead;
pub(crate) mod globals;
pub(crate) mod gvn;
pub(crate) mod inline;
pub(crate) mod invariant;
pub(crate) mod loops;
pub(crate) mod memory_spaces;
pub(crate) mod offsets;
pub(crate) mod promote;
pub(crate) mod reflect;
pub(crate) mod simplify_cfg;
pub(crate) mod sroa;
pub(crate) mod stores;
pub(crate) mod thread;
