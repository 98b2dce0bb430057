//! Tokens to a syntax tree: [`ast`] is the tree, and how to use it is written at its top; [`parse`] makes one.

pub mod ast;
mod parser;

pub use parser::parse;
