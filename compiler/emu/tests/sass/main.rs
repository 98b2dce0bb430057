//! Single machine instructions with exact results, one test for each idea.

mod arithmetic;
mod atomics;
mod collective;
mod control;
mod float;
mod logic;
mod matrix;
mod memory;
mod predicate;
mod program;
mod special;
mod support;
mod texture;
mod threads;
