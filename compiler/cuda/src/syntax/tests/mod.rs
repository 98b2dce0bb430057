//! Tests of the parser, named after rules of the grammar with the standard's section in a comment.

mod declarations;
mod errors;
mod expressions;
mod fuzz;
mod statements;
mod templates;

use crate::source::{Context, tokenize};

use super::{parse, print};

/// The tree of a text as [`print`] shows it, and its diagnostics.
fn parsed(text: &str) -> (String, String) {
    let mut context = Context::new();
    let tokens = tokenize(&mut context, "t.cu", text);
    let tree = parse(&mut context, &tokens);
    (print(&tree, &context.interner), context.render())
}

/// A text without mistakes has this tree.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (tree, errors) = parsed(text);
    assert_eq!(errors, "");
    assert_eq!(tree.trim_end(), expected);
}
