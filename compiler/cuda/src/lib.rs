//! CUDA C++ to the SSA IR, for the device side of a program.
//!
//! **What enters**: the text of a translation unit, include folders and macro definitions, and a target. **What leaves**: an `ir::Module` with the
//! kernels, device functions and device variables of the unit, and a list of diagnostics, each with its place, its reason and its notes.
//!
//! The way through, each step a function from one value to the next:
//!
//! | step | from → to |
//! |---|---|
//! | [`source`] | files → tokens: preprocessing, with the origin of each token |
//! | [`syntax`] | tokens → syntax tree ([`syntax::ast`]): the parser resolves what C++ leaves to name kinds, and nothing more |
//! | [`sema`] | syntax tree → typed program ([`hir`]): look-up, overloads, conversions, templates by elaborating their trees anew for each set of arguments |
//! | [`hir`] | the typed program, its types, layout, mangled names, constant evaluation |
//! | [`codegen`] | typed program → `ir::Module` |
//!
//! **Invariants**
//! * No input panics, hangs or recurses without bound; all errors of a unit come in one run, and one mistake gives one error.
//! * After a program has been elaborated without error, code generation cannot fail but by naming what is not supported.

pub mod codegen;
mod compile;
mod deep;
pub mod hir;
mod host_entity;
mod names;
pub mod sema;
pub mod source;
pub mod syntax;

pub use compile::{Compilation, Options, analyse, compile};
pub use hir::Linkage;
pub use host_entity::{HostEntity, HostKind};
