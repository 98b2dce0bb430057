//! The formatter: PTX text in one layout, with its comments.
//!
//! Formatting changes white space only: the tokens and comments of the result are those of the input in the same order, and formatting again
//! changes nothing. Text with syntax errors is refused whole. The layout:
//!
//! * One statement on a line, indented by one tab for each open brace. Tabs, and a tab between a mnemonic or `.reg` type and what follows,
//!   because the compilers that write PTX do so: formatted compiler output differs little from the original, and operands line up.
//! * Labels stand one step further out than the statements they label.
//! * Directives between a function's parameters and its body have lines of their own, and so have the braces of the body.
//! * Parameter lists and initialisers stay on one line of at most [`LINE_WIDTH`] characters; longer parameter lists have one parameter on
//!   a line, longer initialisers and lists of registers are filled line by line.
//! * Blank lines stay, at most one; none after an opening and before a closing brace.
//! * Comments stay behind the token they follow on its line, or on lines of their own, indented as what they stand before.
//! * Line ends become line feeds; white space at the end of lines goes.

mod layout;
mod write;

use crate::{Problem, tree};

/// Lists that would make a line longer than this many characters are broken; a tab counts as eight.
pub const LINE_WIDTH: usize = 100;

/// The formatted text, or the syntax errors for which it was refused.
pub type Formatted = Result<String, Vec<Problem>>;

/// Formats a module.
///
/// ```
/// let text = ".version 9.0 .target sm_90 .func f() { L: add.s32 %r1,%r2 , 1;bra L; }";
/// let formatted = "\
/// .version 9.0
/// .target sm_90
/// .func f()
/// {
/// L:
/// \tadd.s32 \t%r1, %r2, 1;
/// \tbra \tL;
/// }
/// ";
/// assert_eq!(warpsmith_ptx::format::format(text).unwrap(), formatted);
/// ```
pub fn format(text: &str) -> Formatted {
    let tree = tree::parse(text);
    if tree.problems().is_empty() {
        Ok(write::write(&layout::layout(&tree.root())))
    } else {
        Err(tree.problems().to_vec())
    }
}

#[cfg(test)]
mod tests;
