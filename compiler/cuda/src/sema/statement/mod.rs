//! Statements ([stmt.stmt]) and function bodies.

use super::Sema;
use crate::hir::{StatementId, StatementKind};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// Elaborates a statement in the current scope.
    pub fn statement(&mut self, id: ast::Id<ast::Statement>) -> StatementId {
        let span = self.ast[id].span;
        self.not_supported(span, "this statement");
        self.program.add_statement(StatementKind::Error, span)
    }
    /// Elaborates the statements of a compound statement in the current scope, without a scope of their own: bodies of functions and lambdas.
    pub fn compound_body(&mut self, id: ast::Id<ast::Statement>) -> StatementId {
        self.statement(id)
    }
}
