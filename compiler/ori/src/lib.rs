//! The machine back end: PTX functions to SASS.
//!
//! **What enters**: a checked [`warpsmith_ptx::module::Module`] and a target. **What leaves**: a cubin, or the first thing that is not supported, with
//! its place.
//!
//! **Invariants**
//! * An instruction is a word of the tables over virtual registers ([`ir`]); no encoding is known here.
//! * What is not supported is an error that names it; nothing is dropped or guessed.
//! * Equal input and target give equal bytes.
//!
//! **Where to start**: `ir-defs/phases.tbl`, which is the pipeline, and [`phase`], which runs it; then [`ir`] and [`select`].

#![allow(clippy::result_large_err)]

mod allocate;
mod callgraph;
mod clobbers;
mod convention;
mod converge;
mod emit;
mod entry;
mod flow;
mod frame;
mod graph;
mod inline;
pub mod ir;
mod limits;
mod liveness;
pub mod lower;
mod machine;
mod object;
mod optimise;
mod parallel;
pub mod phase;
mod pipeline;
mod products;
mod quads;
mod schedule;
pub mod select;
mod sets;
mod spill;
mod text;
mod verify;
mod verify_allocation;

pub use allocate::budget::by_launch as registers_by_launch;
pub use limits::{is_system_call, unresolved_variables};
pub use object::ObjectOptions;
pub use phase::Options;
pub use pipeline::{CompileError, Output, Resources, compile, compile_observed, compile_with_options};
