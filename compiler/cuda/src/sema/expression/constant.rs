//! Constant expressions ([expr.const]): the evaluator is the typed program's; bodies and initialisers that it needs are elaborated when it asks.

use crate::hir::{self, Constant, EvaluationFailure, ExpressionId, QualifiedType, Types};
use crate::sema::Sema;
use crate::sema::context::Evaluation;
use crate::sema::initialise::NarrowingPolicy;
use crate::source::{Report, Span};
use crate::syntax::ast;

use super::Operand;

/// Evaluation asks for at most so many bodies in one expression.
const BODY_LIMIT: usize = 20_000;

impl<'a> Sema<'a> {
    /// The value of a converted constant expression ([expr.const]/8); `None` after a message.
    pub fn constant_expression(&mut self, id: ast::Id<ast::Expression>, to: QualifiedType) -> Option<Constant> {
        let span = self.ast[id].span;
        let constant = Evaluation {
            constant: true,
            ..self.function.evaluation
        };
        self.with_evaluation(constant, |sema| {
            let operand = sema.operand(id);
            if sema.operand_is_poisoned(&operand) || to.id == Types::ERROR {
                return None;
            }
            let before = match &operand {
                &Operand::Expression(expression) => Some(expression),
                Operand::Overloads(_) | Operand::List(_) => None,
            };
            let value = if before
                .is_some_and(|expression| sema.program.types.as_class(sema.type_of(expression).id).is_some())
            {
                sema.constant_of_class(&operand, to)
            } else {
                sema.convert(&operand, to, "a constant expression")
            };
            if sema.is_poisoned(value) {
                return None;
            }
            let constant = sema.evaluate(value, span)?;
            if let Some(before) = before {
                sema.with_narrowing(NarrowingPolicy::Reject, |sema| sema.check_narrowing(before, to.id));
            }
            Some(constant)
        })
    }

    /// An object of class type as a constant: by its conversion to the type wanted.
    fn constant_of_class(&mut self, operand: &Operand<'a>, to: QualifiedType) -> ExpressionId {
        self.convert(operand, to, "a constant expression")
    }

    /// The value of a contextually converted constant expression of type `bool`; `None` after a message.
    pub fn constant_bool(&mut self, id: ast::Id<ast::Expression>) -> Option<bool> {
        let span = self.ast[id].span;
        let constant = Evaluation {
            constant: true,
            ..self.function.evaluation
        };
        self.with_evaluation(constant, |sema| {
            let condition = sema.condition(id);
            if sema.is_poisoned(condition) {
                return None;
            }
            sema.evaluate(condition, span)?.as_integer().map(|value| value != 0)
        })
    }

    /// The value of a typed expression, which must be constant: `None` after a message.
    pub fn evaluate(&mut self, expression: ExpressionId, span: Span) -> Option<Constant> {
        match self.evaluate_with_bodies(expression) {
            // An address is no number that anything could be made of.
            Ok(Constant::Pointer(..))
                if self.program.types.is_integral(self.type_of(expression).id)
                    && !self.program.expression(expression).category.is_glvalue() =>
            {
                let report = Report::error(span, "this expression is not constant");
                self.emit(report.note_at(span, "the address of an object is not known at compile time"));
                None
            }
            Ok(value) => Some(value),
            Err(None) => None,
            // An error in a function that was called has been reported where it is.
            Err(Some(why))
                if self.context.diagnostics.has_errors()
                    && matches!(&*why.reason, "the expression is in error" | "the function is in error") =>
            {
                if self.traps > 0 {
                    self.context.diagnostics.error(span, "this expression is not constant");
                }
                None
            }
            Err(Some(why)) => {
                let mut report = Report::error(span, "this expression is not constant");
                report = report.note_at(why.span, why.reason);
                for (place, name) in why.calls.iter().take(8) {
                    report = report.note_at(*place, format!("in the call of `{name}`"));
                }
                self.context.diagnostics.emit(report);
                None
            }
        }
    }

    /// Adds why an expression has no constant value.
    pub fn with_reason(&mut self, report: Report, expression: ExpressionId) -> Report {
        if self.is_poisoned(expression) {
            return report;
        }
        match self.evaluate_with_bodies(expression) {
            Err(Some(why)) => report.note_at(why.span, why.reason),
            Ok(_) | Err(None) => report,
        }
    }

    /// The value of a typed expression, if it is constant; no message if not.
    pub fn try_evaluate(&mut self, expression: ExpressionId) -> Option<Constant> {
        if self.is_poisoned(expression) {
            return None;
        }
        self.evaluate_with_bodies(expression).ok()
    }

    /// Evaluates, elaborating bodies that are missing. The error is `None` if a message has been given.
    fn evaluate_with_bodies(
        &mut self,
        expression: ExpressionId,
    ) -> Result<Constant, Option<hir::constant::NonConstant>> {
        let limits = hir::Limits {
            shifts_bits: self.options.cpp20,
            ..hir::Limits::default()
        };
        for _ in 0..BODY_LIMIT {
            match hir::evaluate(&self.program, expression, &limits) {
                Ok(value) => return Ok(value),
                Err(EvaluationFailure::NonConstant(why)) if why.reason == hir::constant::IN_ERROR => return Err(None),
                Err(EvaluationFailure::NonConstant(why)) => return Err(Some(why)),
                Err(EvaluationFailure::NeedsBody(function)) => {
                    if !self.define_now(function) {
                        let name = self.describe_function(function);
                        let reason = format!("{name} has no body that can be evaluated here");
                        let span = self.program.function(function).span;
                        return Err(Some(hir::constant::NonConstant {
                            span,
                            reason,
                            calls: Vec::new(),
                        }));
                    }
                }
            }
        }
        Err(None)
    }
}
