//! Small kernels with exact results, one for each idea.

mod arithmetic;
mod asynchronous;
mod calls;
mod control;
mod faults;
mod memory;
mod support;
mod tensors;
mod warps;
