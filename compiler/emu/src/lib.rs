//! Runs kernels with no GPU.
//!
//! **What enters**: a checked [`warpsmith_ptx::module::Module`] ([`ptx`]), device memory and launches.
//! **What leaves**: the memory as the kernel left it, a [`ptx::Report`] of what was executed, or a [`ptx::Failure`] that says which thread of
//! which CTA did what wrong at which instruction.
//!
//! **Invariants**
//! * No module, launch or memory content panics, hangs or recurses without bound; every run ends within its instruction budget.
//! * Equal module, memory, launch and options give an equal result, on one host thread.
//! * An instruction that is not implemented is a fault that names it, never a wrong result.
//!
//! **Where to start**: [`ptx`], whose documentation shows a launch.

// A fault ends a run and says much: its size costs nothing.
#![allow(clippy::result_large_err)]

mod barrier;
mod children;
mod demangle;
mod device;
mod fast_float;
mod fault;
mod grid;
mod lanes;
mod launch;
mod matrix;
mod print;
pub mod ptx;
mod report;
pub mod sass;
mod shuffle;
mod tensor_box;
mod tensor_map;
mod tensor_memory;
pub mod texture;
mod warpgroup;

pub use demangle::demangled;
pub use device::Device;
pub use fault::{Accessed, Failure, Fault, FaultKind, MemorySpace, Place, Standing};
pub use launch::{Launch, Options};
pub use report::{MemoryStatistics, Report};
pub use tensor_map::{Swizzle, TENSOR_MAP_BYTES, TensorBox, TensorElement, TensorMap};
