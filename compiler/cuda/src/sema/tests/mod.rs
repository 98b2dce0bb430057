//! One tiny program per rule: accepted, or refused with just these messages.

mod basic;
mod class;
mod expression;
mod generic;
mod template;
mod tour;

use crate::hir::Program;
use crate::sema::{Options, analyse};
use crate::source::{Context, tokenize};
use crate::syntax::parse;

/// Elaborates a program: the messages, one line each: `line: message`, notes indented.
fn check(text: &str) -> (Program, String) {
    let mut context = Context::new();
    let tokens = tokenize(&mut context, "t.cu", text);
    let ast = parse(&mut context, &tokens);
    let options = Options {
        check_all_bodies: true,
        ..Options::default()
    };
    let program = analyse(&ast, &mut context, options);
    let mut out = String::new();
    for report in context.diagnostics.reports() {
        let line = context.map.place(report.span.first).map_or(0, |place| place.line);
        out += &format!("{line}: {}\n", report.message);
        for note in &report.notes {
            match context.map.place(note.span.first) {
                Some(place) => out += &format!("  {}: {}\n", place.line, note.message),
                None => out += &format!("  {}\n", note.message),
            }
        }
    }
    (program, out)
}

/// The program is accepted without a message.
#[track_caller]
fn accepted(text: &str) -> Program {
    let (program, out) = check(text);
    assert!(out.is_empty(), "{out}");
    program
}

/// The program is refused with these messages.
#[track_caller]
fn refused(text: &str, expected: &str) {
    let (_, out) = check(text);
    assert_eq!(out.trim_end(), expected.trim());
}
