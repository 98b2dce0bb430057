//! `return` and what it says about deduced results ([stmt.return], [dcl.spec.auto]).

use crate::hir::{
    CastKind, ExpressionId, ExpressionKind, QualifiedType, ResultVariable, StatementId, StatementKind, StorageDuration,
    Type, Types, ValueCategory, VariableId,
};
use crate::sema::Sema;
use crate::sema::context::ResultType;
use crate::sema::entity::SpecialMember;
use crate::sema::initialise::NarrowingPolicy;
use crate::sema::template::DeductionOperand;
use crate::source::{Report, Span};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    pub(super) fn return_statement(&mut self, value: Option<ast::Id<ast::Expression>>, span: Span) -> StatementId {
        let statement = self.typed_return(value, span);
        self.note_named_result(value, statement);
        statement
    }
    /// Takes note of which of the local variables that live here is returned: the others cannot be in the place of the result.
    fn note_named_result(&mut self, value: Option<ast::Id<ast::Expression>>, statement: StatementId) {
        if self.function.live.is_empty() {
            return;
        }
        let result = match self.program.statement(statement).kind {
            StatementKind::Return(result) => result,
            _ => None,
        };
        let named = match (value, result) {
            (Some(value), Some(result)) => self.named_result(value, result),
            _ => None,
        };
        if let (Some(variable), Some(result)) = (named, result) {
            self.program.named_results.insert(result, variable);
        }
        for index in 0..self.function.live.len() {
            let variable = self.function.live[index];
            let entry = self.program.variable_mut(variable);
            entry.result = match (named == Some(variable), entry.result) {
                (true, ResultVariable::Unseen | ResultVariable::Always) => ResultVariable::Always,
                _ => ResultVariable::Never,
            };
        }
    }
    /// The local variable of the result's own type that is returned.
    fn named_result(&mut self, value: ast::Id<ast::Expression>, result: ExpressionId) -> Option<VariableId> {
        let ty = self.program.type_of(result);
        let class = self.program.types.as_class(ty.id)?;
        if !self.program.class(class).non_trivial_for_calls || self.program.expression(result).category.is_glvalue() {
            return None;
        }
        let variable = self.returned_name(value)?;
        let info = self.program.variable(variable);
        let fits = info.storage == StorageDuration::Automatic
            && info.ty.id == ty.id
            && !info.ty.is_volatile()
            && info.alignment.is_none()
            && self.function.live.contains(&variable);
        fits.then_some(variable)
    }
    /// The variable that a `return` names, in parentheses or not.
    fn returned_name(&mut self, value: ast::Id<ast::Expression>) -> Option<VariableId> {
        let ast = self.ast;
        let mut value = value;
        while let ast::ExpressionKind::Parenthesized(inner) = ast[value].kind {
            value = inner;
        }
        let ast::ExpressionKind::Name(name) = ast[value].kind else {
            return None;
        };
        if !ast[name].is_unqualified() {
            return None;
        }
        let expression = self.trying(|sema| sema.expression(value)).ok()?;
        match self.program.expression(expression).kind {
            ExpressionKind::Variable(variable) => Some(variable),
            _ => None,
        }
    }
    fn typed_return(&mut self, value: Option<ast::Id<ast::Expression>>, span: Span) -> StatementId {
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
        let result = match self.moved_result(value, ty, place) {
            Some(moved) => moved,
            None if self.program.types.as_class(ty.id).is_some() => self
                .with_narrowing(NarrowingPolicy::Warn, |sema| {
                    sema.copy_initialise(ty, value, place, "return value")
                }),
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
    /// A result that a local variable is moved into, if it can be ([class.copy.elision]/3). C++17 wants a constructor that takes just the variable's class as an
    /// rvalue; C++20 takes what overload resolution finds.
    fn moved_result(
        &mut self,
        value: ast::Id<ast::Expression>,
        ty: QualifiedType,
        place: Span,
    ) -> Option<ExpressionId> {
        let moved = self.returned_variable(value, ty)?;
        let from = self.program.type_of(moved);
        let attempt = self.trying(|sema| sema.initialise_from(ty, moved, place, "return value"));
        let result = attempt.ok().filter(|&result| !self.is_poisoned(result))?;
        let takes_rvalue = self.options.cpp20
            || from.id == ty.id
            || match &self.program.expression(result).kind {
                ExpressionKind::Construct { constructor, .. } => {
                    let ty = self.program.types.as_function(self.program.function(*constructor).ty);
                    let first = ty.and_then(|ty| ty.parameters.first().copied());
                    first.is_some_and(|first| match *self.program.types.get(first.id) {
                        Type::RValueReference(to) => to.id == from.id,
                        _ => false,
                    })
                }
                _ => false,
            };
        takes_rvalue.then_some(result)
    }
    /// The local variable or parameter of class type that is returned, as an rvalue.
    fn returned_variable(&mut self, value: ast::Id<ast::Expression>, result: QualifiedType) -> Option<ExpressionId> {
        let variable = self.returned_name(value)?;
        let expression = self.variable_expression(variable, self.ast[value].span);
        let info = self.program.variable(variable);
        let local = matches!(info.storage, StorageDuration::Automatic | StorageDuration::Parameter);
        let ty = match *self.program.types.get(info.ty.id) {
            // What an rvalue reference is bound to, since C++20.
            Type::RValueReference(to) if self.options.cpp20 => to,
            _ => info.ty,
        };
        let class = self.program.types.as_class(ty.id)?;
        if !local || ty.is_volatile() || ty.is_const() {
            return None;
        }
        // Moved or copied is the same, unless the copy is deleted.
        let copy = self.special_info(class, SpecialMember::CopyConstructor);
        if result.id == ty.id && self.program.class(class).trivially_copyable && !copy.deleted {
            return None;
        }
        let span = self.ast[value].span;
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
            let result = match sema.moved_result(value, deduced, place) {
                Some(moved) => moved,
                None => sema.initialise_from(deduced, expression, place, "return value"),
            };
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
