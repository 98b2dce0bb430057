//! Tokens to a syntax tree: [`ast`] is the tree, and how to use it is written at its top; [`parse`] makes one, [`print`] shows one as text.

pub mod ast;
mod parser;
mod print;
#[cfg(test)]
mod tests;

pub use parser::parse;
pub use print::{print, print_declaration, print_expression, print_statement};
