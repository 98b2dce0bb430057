//! An emulator of the machine: executes cubins by decoding their words with the tables of `warpsmith-sass`.
//!
//! **What enters**: a cubin ([`load`]), device memory, launches. **What leaves**: as for PTX, the memory, a [`Report`](crate::Report) or a
//! [`Fault`](crate::Fault) that names the instruction.
//!
//! # How it works
//!
//! [`load`] decodes every word once into a step: a guard and an operation whose registers are row numbers. A warp is a table of rows of 32
//! values: registers, uniform registers (the same value in all lanes), constants of the launch. Most instructions are a function of up to three
//! rows; each other family has a module that decodes and executes it. A word whose meaning is not implemented becomes a step that stops the run
//! with its name.
//!
//! Registers, predicates, convergence barriers, constant banks and the calling convention are those of the machine; addresses of code,
//! of shared and local memory and of the run-time system's functions are the emulator's own.
//!
//! # Where to start
//!
//! `code` (what is executed), `decode` (from words to it), `machine` (the loop).

mod abi;
mod asynchronous;
mod atomic;
mod barrier;
mod bulk;
mod code;
mod collective;
mod constant;
mod control;
mod convert;
mod decode;
mod double;
mod float;
mod grid;
mod half;
mod hazard;
mod images;
mod lanes;
mod lines;
mod load;
mod machine;
mod matrix;
mod memory;
mod mufu;
mod multimem;
mod pair;
mod predicate;
mod product;
mod special;
mod surface;
mod system;
mod system_texture;
mod tensor_memory;
mod texture;
mod uniform;
mod warp;
mod warpgroup;

pub use load::{LaunchBounds, Loaded, Place, load, load_placed, run};
