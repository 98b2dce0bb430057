//! The lossless syntax tree: for the formatter, editors and other tools that need every blank and comment.
//!
//! [`parse`] takes any text and gives a [`Tree`] whose text is the input, with the places that are wrong. It knows the shape of directives,
//! declarations, functions and instructions, not the meaning of names and mnemonics; that is the business of the parser to
//! [`Module`](crate::module::Module), which the compiler itself uses, as it needs a tenth of the time and memory.
//!
//! Bytes that are not UTF-8 have a place in the tree too: see [`decode`].

mod encoding;
mod expression;
mod kind;
mod lex;
mod parse;
mod statement;

pub use encoding::{decode, encode};
pub use kind::{PtxLanguage, SyntaxKind};
#[cfg(test)]
pub(crate) use lex::lex;
pub use parse::parse;

use crate::Problem;

/// A node of the tree.
pub type SyntaxNode = rowan::SyntaxNode<PtxLanguage>;
/// A token of the tree.
pub type SyntaxToken = rowan::SyntaxToken<PtxLanguage>;
/// A node or token of the tree.
pub type SyntaxElement = rowan::SyntaxElement<PtxLanguage>;

/// A lossless tree and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Tree {
    green: rowan::GreenNode,
    problems: Vec<Problem>,
}

impl Tree {
    /// The node of the whole text, of kind [`SyntaxKind::Module`].
    pub fn root(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// Syntax errors in the order of the text; at most one for each statement.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
