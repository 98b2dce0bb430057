//! Modules as text: LLVM's assembly, in the dialects that NVVM tools read.

mod read;
pub(crate) mod write;

pub use write::{escaped, quoted_name};

/// A dialect of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// Opaque pointers (`ptr`), kernels by their calling convention: LLVM 17 and later.
    #[default]
    Modern,
    /// Typed pointers, kernels by metadata: LLVM 7, the dialect of libNVVM up to CUDA 12.
    Llvm7,
}
