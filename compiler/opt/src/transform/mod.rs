//! The passes.

pub(crate) mod dead;
pub(crate) mod gvn;
pub(crate) mod inline;
pub(crate) mod promote;
pub(crate) mod simplify_cfg;
pub(crate) mod sroa;
