//! Small kernels with exact results, one for each idea.

mod arithmetic;
mod asynchronous;
mod calls;
mod checks;
mod control;
mod faults;
mod fragments;
mod matrix;
mod memory;
mod support;
mod tensor_memory;
mod tensors;
mod texture;
mod threads;
mod warpgroups;
mod warps;
