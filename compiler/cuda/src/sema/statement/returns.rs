//! `return` and what it says about deduced results ([stmt.return], [dcl.spec.auto]).

use crate::hir::{
    CastKind, ExpressionId, ExpressionKind, QualifiedType, StatementId, StatementKind, StorageDuration, Types,
    ValueCategory,
};
use crate::sema::Sema;
use crate::sema::context::ResultType;
use crate::sema::template::DeductionOperand;
use crate::source::{Report, Span};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    pub(super) fn return_statement(&mut self, value: Option<ast::Id<ast::Expression>>, span: Span) -> StatementId {
        match self.function.result {
            ResultType::None => {
                self.error(span, "`return` has to be in a function");
                self.add_statement(StatementKind::Error, span)
            }
            ResultType::Known(ty) => match value {
                None => self.return_nothing(ty, span),
                Some(value) => self.return_value(ty, value, span),
            },
            ResultType::Deduced { pattern, found } => self.return_deduced(pattern, found, value, span),
        }
    }
    fn return_nothing(&mut self, ty: QualifiedType, span: Span) -> StatementId {
        if ty.id != Types::VOID && ty.id != Types::ERROR {
            let message = format!("this function has to return `{}`", self.show(ty));
            self.error(span, message);
            return self.add_statement(StatementKind::Error, span);
        }
        self.add_statement(StatementKind::Return(None), span)
    }
    fn return_value(&mut self, ty: QualifiedType, value: ast::Id<ast::Expression>, span: Span) -> StatementId {
        let place = self.ast[value].span;
        if ty.id == Types::VOID {
            if matches!(self.ast[value].kind, ast::ExpressionKind::InitializerList(_)) {
                self.error(place, "a function that returns `void` returns no value");
                return self.add_statement(StatementKind::Error, span);
            }
            let expression = self.discarded(value);
            return self.return_void_value(expression, place, span);
        }
        let result = match self.returned_variable(value, ty) {
            Some(moved) => self.initialise_from(ty, moved, place, "return value"),
            None => self.copy_initialise(ty, value, place, "return value"),
        };
        self.add_statement(StatementKind::Return(Some(result)), span)
    }
    fn return_void_value(&mut self, expression: ExpressionId, place: Span, span: Span) -> StatementId {
        let ty = self.program.type_of(expression);
        if ty.id != Types::VOID && ty.id != Types::ERROR {
            let report = Report::error(place, "a function that returns `void` returns no value");
            self.emit(report.here(format!("this is of type `{}`", self.show(ty))));
            return self.add_statement(StatementKind::Error, span);
        }
        let effect = self.add_statement(StatementKind::Expression(expression), place);
        let leave = self.add_statement(StatementKind::Return(None), span);
        self.add_statement(StatementKind::Group(vec![effect, leave]), span)
    }
    /// A local variable or parameter of class type that is returned is moved from ([class.copy.elision]/3).
    fn returned_variable(&mut self, value: ast::Id<ast::Expression>, ty: QualifiedType) -> Option<ExpressionId> {
        let ast = self.ast;
        let mut value = value;
        while let ast::ExpressionKind::Parenthesized(inner) = ast[value].kind {
            value = inner;
        }
        let ast::ExpressionKind::Name(name) = ast[value].kind else {
            return None;
        };
        let class = self.program.types.as_class(ty.id)?;
        if self.program.class(class).trivially_copyable || !ast[name].is_unqualified() {
            return None;
        }
        let expression = self.trying(|sema| sema.expression(value)).ok()?;
        let ExpressionKind::Variable(variable) = self.program.expression(expression).kind else {
            return None;
        };
        let info = self.program.variable(variable);
        let local = matches!(info.storage, StorageDuration::Automatic | StorageDuration::Parameter);
        if !local
            || self.program.types.is_reference(info.ty.id)
            || info.ty.is_volatile()
            || info.ty.id != ty.id
            || info.ty.is_const()
        {
            return None;
        }
        let ty = info.ty;
        let span = ast[value].span;
        let cast = ExpressionKind::Cast(CastKind::NoOperation, expression);
        Some(self.program.add(cast, ty, ValueCategory::XValue, span))
    }
    fn return_deduced(
        &mut self,
        pattern: QualifiedType,
        found: Option<(QualifiedType, Span)>,
        value: Option<ast::Id<ast::Expression>>,
        span: Span,
    ) -> StatementId {
        let Some(value) = value else {
            return self.note_result(Types::VOID.unqualified(), pattern, found, span, |sema| {
                sema.add_statement(StatementKind::Return(None), span)
            });
        };
        let place = self.ast[value].span;
        if matches!(self.ast[value].kind, ast::ExpressionKind::InitializerList(_)) {
            self.error(
                place,
                "the type that is returned cannot be deduced from an initialiser list",
            );
            return self.add_statement(StatementKind::Error, span);
        }
        if pattern.id == Types::DECLTYPE_AUTO {
            let ty = self.decltype(value);
            return self.note_result(ty, pattern, found, place, |sema| sema.return_value(ty, value, span));
        }
        let expression = self.expression(value);
        let node = self.program.expression(expression);
        let (ty, category) = (node.ty, node.category);
        if ty.id == Types::ERROR {
            self.function.result = ResultType::Known(Types::ERROR.unqualified());
            return self.add_statement(StatementKind::Error, span);
        }
        if ty.id == Types::VOID && pattern.id == Types::AUTO {
            return self.note_result(ty, pattern, found, place, |sema| {
                sema.return_void_value(expression, place, span)
            });
        }
        let Some(deduced) = self.deduce_auto(pattern, &DeductionOperand::Typed(ty, category)) else {
            let message = format!("`{}` cannot be deduced from `{}`", self.show(pattern), self.show(ty));
            self.error(place, message);
            return self.add_statement(StatementKind::Error, span);
        };
        self.note_result(deduced, pattern, found, place, |sema| {
            let moved = sema.returned_variable(value, deduced).unwrap_or(expression);
            let result = sema.initialise_from(deduced, moved, place, "return value");
            sema.add_statement(StatementKind::Return(Some(result)), span)
        })
    }
    /// All `return`s have to agree.
    fn note_result(
        &mut self,
        ty: QualifiedType,
        pattern: QualifiedType,
        found: Option<(QualifiedType, Span)>,
        span: Span,
        finish: impl FnOnce(&mut Self) -> StatementId,
    ) -> StatementId {
        match found {
            Some((known, before)) if known != ty && ty.id != Types::ERROR && known.id != Types::ERROR => {
                let message = format!(
                    "this returns `{}`, but an earlier `return` says `{}`",
                    self.show(ty),
                    self.show(known)
                );
                self.emit(Report::error(span, message).note_at(before, "it is here"));
                self.add_statement(StatementKind::Error, span)
            }
            Some(_) => finish(self),
            None => {
                self.function.result = ResultType::Deduced {
                    pattern,
                    found: Some((ty, span)),
                };
                // From here on the type is known, for recursive calls ([dcl.spec.auto]/10).
                if let Some(function) = self.function.function {
                    self.set_result(function, ty);
                }
                finish(self)
            }
        }
    }
}
