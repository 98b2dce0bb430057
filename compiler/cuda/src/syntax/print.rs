//! The tree as compact text: one line for each declaration at the top, in nested parentheses. For tests and for looking at.
//!
//! A type reads from the name outwards: `[3] * const int` is an array of three pointers to `const int`; `fn(int, float) void` a function.

mod declaration;
mod expression;
mod statement;
mod types;

use crate::source::Interner;

use super::ast::{Ast, Declaration, Expression, Id, Name, Statement};

/// Prints all declarations of a tree.
pub fn print(ast: &Ast, interner: &Interner) -> String {
    let mut printer = Printer::new(ast, interner);
    for &declaration in &ast.roots {
        printer.declaration(declaration);
        printer.out.push('\n');
    }
    printer.out
}

/// Prints one expression.
pub fn print_expression(ast: &Ast, interner: &Interner, expression: Id<Expression>) -> String {
    let mut printer = Printer::new(ast, interner);
    printer.expression(expression);
    printer.out
}

/// Prints one statement.
pub fn print_statement(ast: &Ast, interner: &Interner, statement: Id<Statement>) -> String {
    let mut printer = Printer::new(ast, interner);
    printer.statement(statement);
    printer.out
}

/// Prints one declaration.
pub fn print_declaration(ast: &Ast, interner: &Interner, declaration: Id<Declaration>) -> String {
    let mut printer = Printer::new(ast, interner);
    printer.declaration(declaration);
    printer.out
}

struct Printer<'a> {
    ast: &'a Ast,
    interner: &'a Interner,
    out: String,
    depth: u32,
}

/// Deeper nodes are left out: a tree made by hand may be of any depth, and long sums lean to the left.
const DEPTH_LIMIT: u32 = 500;

impl<'a> Printer<'a> {
    fn new(ast: &'a Ast, interner: &'a Interner) -> Printer<'a> {
        Printer {
            ast,
            interner,
            out: String::new(),
            depth: 0,
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// A word and a space behind it.
    fn word(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push(' ');
    }

    fn space(&mut self) {
        self.out.push(' ');
    }

    fn symbol(&mut self, name: Name) {
        self.out.push_str(self.interner.text(name));
    }

    /// Each item after a space.
    fn each<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for item in items {
            self.space();
            print(self, item);
        }
    }

    /// Items with commas between.
    fn commas<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            print(self, item);
        }
    }

    fn deeper(&mut self, print: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH_LIMIT {
            self.text("…");
            return;
        }
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }
}
