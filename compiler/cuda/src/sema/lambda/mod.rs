//! Lambda expressions ([expr.prim.lambda]).

use crate::hir::{ExpressionId, QualifiedType, VariableId};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast;

/// The lambda expressions of a unit.
#[derive(Debug, Default)]
pub(crate) struct Lambdas<'a> {
    syntax: std::marker::PhantomData<&'a ast::Lambda>,
}

impl<'a> Sema<'a> {
    /// The closure that a lambda expression makes ([expr.prim.lambda]).
    pub fn lambda(&mut self, id: ast::Id<ast::Lambda>) -> ExpressionId {
        let span = self.ast[id].span;
        self.fail(span, "lambda expressions are not supported")
    }

    /// What the innermost lambda around has captured of a variable of a function around it.
    pub(crate) fn captured_variable(&mut self, variable: VariableId, span: Span) -> Option<ExpressionId> {
        let _ = (variable, span);
        None
    }

    /// What it has captured of `*this`.
    pub(crate) fn captured_this(&mut self, this: QualifiedType, span: Span) -> Option<ExpressionId> {
        let _ = (this, span);
        None
    }
}
