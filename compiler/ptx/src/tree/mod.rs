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

    /// Syntax errors in the order of the text; at most one at each place, and the first thousand.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::{SyntaxKind, parse};

    /// Nodes with the text of their tokens, one on a line, indented by depth; white space left out.
    fn dump(text: &str) -> String {
        let mut lines = String::new();
        let root = parse(text).root();
        for node in root.descendants() {
            let depth = node.ancestors().count() - 1;
            let tokens = node.children_with_tokens().filter_map(|child| child.into_token());
            let tokens: Vec<String> = tokens
                .filter(|token| token.kind() != SyntaxKind::Whitespace)
                .map(|token| token.to_string())
                .collect();
            lines.push_str(format!("{}{:?} {}", "  ".repeat(depth), node.kind(), tokens.join(" ")).trim_end());
            lines.push('\n');
        }
        lines
    }

    #[test]
    fn shape_of_a_kernel() {
        let text = ".entry k(.param .u64 p) .maxntid 32, 1 { // first\n L: @!%p1 ld.f32 %f1, [%rd1+4]; }";
        let expected = "\
Module
  Function .entry k
    ParameterList ( )
      Parameter .param .u64
        Declarator p
    FunctionDirective .maxntid
      Operands ,
        Expression 32
        Expression 1
    Body { // first }
      Label L :
      Instruction ;
        Guard @ ! %p1
        Mnemonic ld .f32
        Operands ,
          Expression %f1
          Expression
            Address [ ]
              Expression %rd1 + 4
";
        assert_eq!(dump(text), expected);
    }

    #[test]
    fn shape_of_declarations() {
        let text = ".reg .b32 %r<4>, x; .global .align 4 .b8 a[2] = {1, generic(b)}; .const[3] .b32 c;";
        let expected = "\
Module
  Declaration .reg .b32 , ;
    Declarator %r
      Count < 4 >
    Declarator x
  Declaration .global .align 4 .b8 ;
    Declarator a =
      Dimension [ ]
        Expression 2
      Expression
        Vector { , }
          Expression 1
          Expression generic
            List ( )
              Expression b
  Declaration .const .b32 ;
    Dimension [ ]
      Expression 3
    Declarator c
";
        assert_eq!(dump(text), expected);
    }

    #[test]
    fn what_fits_nowhere_is_in_error_nodes() {
        assert_eq!(
            dump(".func f() { add a b; ; }"),
            "\
Module
  Function .func f
    ParameterList ( )
    Body { }
      Instruction
        Mnemonic add
        Operands
          Expression a
        Error b ;
      Error ;
"
        );
    }

    #[test]
    fn nesting_is_limited() {
        let text = format!(".func f() {}", "{".repeat(100_000));
        let tree = parse(&text);
        assert_eq!(
            tree.problems()[0].message,
            "expected no more than 200 nested scopes, found `{`"
        );
        assert_eq!(tree.root().text().to_string(), text);
        let text = format!(".global .b32 a = {};", "{".repeat(100_000));
        let tree = parse(&text);
        assert_eq!(
            tree.problems()[0].message,
            "expected no more than 200 nested brackets, found `{`"
        );
        assert_eq!(tree.root().text().to_string(), text);
        let text = format!(".entry e() {{ x {}", "[".repeat(300));
        assert_eq!(parse(&text).root().text().to_string(), text);
    }
}
