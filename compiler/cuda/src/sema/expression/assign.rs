//! Assignment ([expr.ass]).

use crate::hir::{BinaryOperator as HirOperator, ExpressionId, ExpressionKind, Type, TypeId};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{is_integral_or_unscoped, promoted, promoted_bit_field, usual_arithmetic};
use crate::sema::conversion::implicit::Permit;
use crate::source::{Report, Span};
use crate::syntax::ast::{self, BinaryOperator, OperatorName};

use super::Operand;
use super::binary::arithmetic_operator;
use super::overloaded::{Fallback, Overloaded};

/// The name of a compound assignment as a function.
fn compound_name(operator: BinaryOperator) -> Option<OperatorName> {
    Some(match operator {
        BinaryOperator::Multiply => OperatorName::MultiplyAssign,
        BinaryOperator::Divide => OperatorName::DivideAssign,
        BinaryOperator::Remainder => OperatorName::RemainderAssign,
        BinaryOperator::Add => OperatorName::AddAssign,
        BinaryOperator::Subtract => OperatorName::SubtractAssign,
        BinaryOperator::ShiftLeft => OperatorName::ShiftLeftAssign,
        BinaryOperator::ShiftRight => OperatorName::ShiftRightAssign,
        BinaryOperator::BitAnd => OperatorName::BitAndAssign,
        BinaryOperator::BitXor => OperatorName::BitXorAssign,
        BinaryOperator::BitOr => OperatorName::BitOrAssign,
        _ => return None,
    })
}

impl<'a> Sema<'a> {
    /// `target = value`, `target += value`.
    pub(super) fn assign(
        &mut self,
        operator: Option<BinaryOperator>,
        target: ast::Id<ast::Expression>,
        value: ast::Id<ast::Expression>,
        span: Span,
        operator_span: Span,
    ) -> ExpressionId {
        let value = self.operand(value);
        let target = self.expression(target);
        self.assign_operand(operator, target, &value, span, operator_span)
    }

    /// The same for operands that are elaborated.
    pub(crate) fn assign_operand(
        &mut self,
        operator: Option<BinaryOperator>,
        target: ExpressionId,
        value: &Operand<'a>,
        span: Span,
        operator_span: Span,
    ) -> ExpressionId {
        if self.is_poisoned(target) || self.operand_is_poisoned(value) {
            return self.poison(span);
        }
        let name = match operator {
            None => Some(OperatorName::Assign),
            Some(operator) => compound_name(operator),
        };
        let Some(name) = name else {
            return self.fail(operator_span, "this operator does not assign");
        };
        // One complex number as it is may be assigned to another.
        let ty = self.type_of(target).unqualified();
        let is_copy = operator.is_none()
            && matches!(value, &Operand::Expression(value) if self.type_of(value).unqualified() == ty);
        if self.complex_class(ty).is_some() && !is_copy {
            return self.complex_arithmetic(span);
        }
        let is_class = self.program.types.as_class(self.type_of(target).id).is_some();
        if is_class || self.may_overload(&Operand::Expression(target)) || self.may_overload(value) {
            let operands = [Operand::Expression(target), value.clone()];
            let settled_class = is_class || operator.is_some();
            if settled_class {
                let fallback = if is_class { Fallback::BuiltIn } else { Fallback::None };
                let built_in = if operator.is_none() && is_class {
                    Fallback::BuiltIn
                } else {
                    fallback
                };
                if let Overloaded::Done(expression) = self.overloaded_operator(name, &operands, built_in, span) {
                    return expression;
                }
            }
        }
        let what = match operator {
            None => "`=`".to_string(),
            Some(operator) => format!("`{}=`", operator.spelling()),
        };
        if !self.check_modifiable(target, &what, operator_span) {
            return self.poison(span);
        }
        match operator {
            None => self.assign_scalar(target, value, span),
            Some(operator) => self.assign_compound(operator, target, value, span, operator_span),
        }
    }

    fn assign_scalar(&mut self, target: ExpressionId, value: &Operand<'a>, span: Span) -> ExpressionId {
        let ty = self.type_of(target);
        if matches!(self.program.types.get(ty.id), Type::Array(..)) {
            return self.fail(span, "arrays cannot be assigned");
        }
        let value = self.convert_permitted(value, ty.unqualified(), Permit::IMPLICIT, "the left side of `=`");
        if self.is_poisoned(value) {
            return value;
        }
        self.lvalue(ExpressionKind::Assign { place: target, value }, ty, span)
    }

    /// `+=` and its kin on built-in types ([expr.ass]/7).
    fn assign_compound(
        &mut self,
        operator: BinaryOperator,
        target: ExpressionId,
        value: &Operand<'a>,
        span: Span,
        operator_span: Span,
    ) -> ExpressionId {
        let ty = self.type_of(target);
        let value = self.settle(value);
        let Some(arithmetic) = arithmetic_operator(operator) else {
            return self.poison(span);
        };
        let width = self.source(value).bit_field;
        let target_width = self.source(target).bit_field;
        let mut value = self.decay(value);
        if self.is_poisoned(value) {
            return value;
        }
        if self.program.types.as_class(self.type_of(value).id).is_some() {
            value = self.convert_to_class_of_types(value, "the right operand", |sema, ty| {
                sema.program.types.is_arithmetic(ty)
            });
            if self.is_poisoned(value) {
                return value;
            }
        }
        let (a, b) = (ty.id, self.type_of(value).id);
        let computed = self.compound_types(arithmetic, (a, target_width), (b, width));
        let Some((computation, operand)) = computed else {
            let (a, b) = (self.quote(ty), self.quote(b));
            let message = format!(
                "the operator `{}=` cannot be applied to {a} and {b}",
                operator.spelling()
            );
            let (at_left, at_right) = (self.span_of(target), self.span_of(value));
            return self.fail_with(
                Report::error(operator_span, message)
                    .label(at_left, a)
                    .label(at_right, b),
            );
        };
        if let Some(to) = self.program.types.pointee(a)
            && (!self.require_complete(to.id, span, "pointer arithmetic on") || to.id == crate::hir::Types::VOID)
        {
            let message = format!(
                "arithmetic on pointers to {} has no meaning: its size is unknown",
                self.quote(to)
            );
            return self.fail(span, message);
        }
        let value = match self.program.types.get(operand) {
            Type::Vector(element, _) if operand != b => {
                let element = *element;
                let scalar = self.convert_arithmetic(value, element);
                self.cast(crate::hir::CastKind::Splat, scalar, operand)
            }
            _ => self.convert_constant(value, operand),
        };
        let kind = ExpressionKind::CompoundAssign {
            operator: arithmetic,
            place: target,
            value,
            computation,
        };
        self.lvalue(kind, ty, span)
    }

    /// The type that a compound assignment computes in, and the right operand's.
    fn compound_types(
        &mut self,
        operator: HirOperator,
        left: (TypeId, Option<u32>),
        right: (TypeId, Option<u32>),
    ) -> Option<(TypeId, TypeId)> {
        let program = &self.program;
        let promote = |(id, width): (TypeId, Option<u32>)| {
            width.map_or_else(|| promoted(program, id), |width| promoted_bit_field(program, id, width))
        };
        let integral = is_integral_or_unscoped(program, left.0) && is_integral_or_unscoped(program, right.0);
        if program.types.as_enum(left.0).is_some() {
            return None;
        }
        if let Type::Vector(..) = program.types.get(left.0) {
            return (left.0 == right.0 || program.types.is_arithmetic(right.0)).then_some((left.0, left.0));
        }
        match operator {
            HirOperator::ShiftLeft | HirOperator::ShiftRight => integral.then(|| (promote(left), promote(right))),
            HirOperator::Add | HirOperator::Subtract if program.types.pointee(left.0).is_some() => {
                is_integral_or_unscoped(program, right.0).then(|| (left.0, promote(right)))
            }
            HirOperator::Remainder | HirOperator::And | HirOperator::Or | HirOperator::Xor if !integral => None,
            _ => {
                let widen =
                    |(id, width): (TypeId, Option<u32>)| if width.is_some() { promote((id, width)) } else { id };
                let common = usual_arithmetic(program, widen(left), widen(right))?;
                Some((common, common))
            }
        }
    }

    /// Whether an expression can be assigned to: an lvalue that is not `const` ([basic.lval]/7); says so if not. `what` changes it.
    pub(super) fn check_modifiable(&mut self, target: ExpressionId, what: &str, span: Span) -> bool {
        let ty = self.type_of(target);
        if !self.is_lvalue(target) {
            let message = format!("{what} needs an lvalue on its left, but this is a value");
            let message = if what.contains("++") || what.contains("--") {
                format!("{what} needs an lvalue, but this is a value")
            } else {
                message
            };
            self.context
                .diagnostics
                .emit(Report::error(span, message).label(self.span_of(target), self.quote(ty)));
            return false;
        }
        if self.program.types.as_function(ty.id).is_some() {
            self.context.error(span, "a function cannot be changed");
            return false;
        }
        if !self.program.types.qualifiers_of(ty).is_const() {
            return true;
        }
        let mut report = Report::error(span, format!("{what} cannot change a value of type {}", self.quote(ty)));
        report = match self.program.expression(target).kind {
            ExpressionKind::Variable(variable) => {
                let declared = self.program.variable(variable).span;
                report.note_at(
                    declared,
                    format!("{} is declared `const` here", self.variable_name(variable)),
                )
            }
            ExpressionKind::Member { .. } if self.function.lambdas.last().is_some() => {
                report.note("what a lambda captures by copy is `const` in it, unless it is `mutable`")
            }
            _ => report,
        };
        self.context.diagnostics.emit(report);
        false
    }
}
