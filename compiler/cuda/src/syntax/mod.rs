//! Tokens to a syntax tree: [`ast`] is the tree, and how to use it is written at its top; [`parse`] makes one, [`print`] shows one as text. [`tree`] is another tree,
//! of a file as it is written, for tools.

pub mod ast;
mod parser;
mod print;
#[cfg(test)]
mod tests;
pub mod tree;

pub use parser::parse;
pub use print::{print, print_declaration, print_expression, print_statement};
