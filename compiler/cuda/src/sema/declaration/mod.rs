//! Declarations ([dcl.dcl]).

use super::Sema;
use crate::hir::{QualifiedType, StatementId, Types};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// The type that a type-id names; the error type after a message. May contain `auto`.
    pub fn type_of_type_id(&mut self, id: ast::Id<ast::TypeId>) -> QualifiedType {
        let span = self.ast[id].span;
        self.not_supported(span, "this type");
        Types::ERROR.unqualified()
    }
    /// Elaborates a declaration in a block, and gives the statement that it is.
    pub fn declare_local(&mut self, id: ast::Id<ast::Declaration>) -> StatementId {
        let span = self.ast[id].span;
        self.not_supported(span, "this declaration");
        self.program.add_statement(crate::hir::StatementKind::Error, span)
    }
}
