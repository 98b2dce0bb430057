//! Constants that an implicit conversion makes other numbers of.

use crate::hir::{BinaryOperator, CastKind, ExpressionId, ExpressionKind, Type, TypeId, UnaryOperator};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::integer_kind;
use crate::sema::initialise::same_bits;
use crate::source::Warning;

/// Constants that are more deeply nested are not looked at.
const DEEPEST: usize = 16;

impl<'a> Sema<'a> {
    /// A prvalue that is implicitly converted to an arithmetic type.
    pub(crate) fn check_constant_conversion(&mut self, value: ExpressionId, to: TypeId) {
        let from = self.type_of(value).id;
        if !self.options.warnings || from == to || self.casting || self.function.evaluation.unevaluated {
            return;
        }
        let Some(kind) = integer_kind(&self.program, to) else {
            return;
        };
        // Enumerations are converted to as casts say, not implicitly.
        if matches!(self.program.types.get(to), Type::Enum(_)) || !self.is_made_of_constants(value, 0) {
            return;
        }
        let Some(constant) = self.try_evaluate(value) else {
            return;
        };
        let span = self.span_of(value);
        if self.program.types.is_floating(from) {
            if let Some(number) = self.float_of(&constant, from)
                && !fits(number, kind)
            {
                let message = format!("the number {number:?} does not fit {}", self.quote(to));
                self.warn_at(Warning::FloatDoesNotFit, span, message);
            }
            return;
        }
        let Some(number) = constant.as_integer().filter(|&number| kind.wrap(number) != number) else {
            return;
        };
        let become_of = kind.wrap(number);
        let to = self.quote(to);
        if !same_bits(number, kind.bits()) {
            let message = format!("the number {number} does not fit {to}: it becomes {become_of}");
            self.warn_at(Warning::Truncation, span, message);
        } else if !self.is_pattern_of_bits(value) {
            let message = format!("the number {number} changes its sign as {to}: it becomes {become_of}");
            self.warn_at(Warning::SignChange, span, message);
        }
    }
    /// A constant that is written for its bits, not as a number: whether it is negative says nothing.
    fn is_pattern_of_bits(&self, value: ExpressionId) -> bool {
        let node = self.program.expression(value);
        match &node.kind {
            ExpressionKind::Unary(UnaryOperator::BitNot, _)
            | ExpressionKind::Binary(BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor, ..) => true,
            ExpressionKind::Cast(CastKind::Integral, inner) => self.is_pattern_of_bits(*inner),
            ExpressionKind::Constant(_) => self.written_by_bits(node.span),
            _ => false,
        }
    }
    fn is_made_of_constants(&self, value: ExpressionId, depth: usize) -> bool {
        let inner = |id| depth < DEEPEST && self.is_made_of_constants(id, depth + 1);
        match self.program.expression(value).kind {
            ExpressionKind::Constant(_) => true,
            ExpressionKind::Unary(_, operand)
            | ExpressionKind::Cast(CastKind::Integral | CastKind::Floating | CastKind::IntegralToFloating, operand) => {
                inner(operand)
            }
            // The right operand first: chains lean to the left.
            ExpressionKind::Binary(_, left, right) => inner(right) && inner(left),
            _ => false,
        }
    }
    fn float_of(&self, constant: &crate::hir::Constant, ty: TypeId) -> Option<f64> {
        use crate::hir::{Constant, FloatKind};
        match (constant, self.program.types.get(ty)) {
            (&Constant::Float(bits), Type::Float(FloatKind::Float)) => Some(f64::from(f32::from_bits(bits as u32))),
            (&Constant::Float(bits), Type::Float(FloatKind::Double)) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }
}

/// Whether a number without its fraction is one of an integer type. A negative fraction counts as a negative number.
fn fits(number: f64, kind: crate::hir::IntegerKind) -> bool {
    if !number.is_finite() {
        // Infinities and what is no number are computed, not written.
        return true;
    }
    let width = kind.bits() as i32;
    let (least, end) = match kind.is_signed() {
        true => (-(2f64.powi(width - 1)), 2f64.powi(width - 1)),
        false => (0.0, 2f64.powi(width)),
    };
    let least_of_fractions = if kind.is_signed() { least - 1.0 } else { least };
    number < end && (number >= least || kind.is_signed() && number > least_of_fractions)
}
