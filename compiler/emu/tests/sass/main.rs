//! Single machine instructions with exact results, one test for each idea.

mod arithmetic;
mod collective;
mod logic;
mod predicate;
mod special;
mod support;
