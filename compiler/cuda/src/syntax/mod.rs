//! Tokens to a syntax tree: [`ast`] is the tree, and how to use it is written at its top.

pub mod ast;
