//! Comparison of C++20: the operator `<=>` ([expr.spaceship]), and operators that another one is written with ([over.match.oper]/3.4).

use crate::hir::{
    Comparison, ExpressionId, ExpressionKind, QualifiedType, TypeId, Types, UnaryOperator, VariableInitialiser,
};
use crate::sema::Sema;
use crate::sema::entity::Found;
use crate::sema::overload::{Call, Resolution};
use crate::source::{Report, Span};
use crate::syntax::ast::{BinaryOperator, OperatorName};

use super::Operand;

impl<'a> Sema<'a> {
    /// The built-in `left <=> right`; `None` if the operands cannot be compared.
    pub(crate) fn built_in_three_way(
        &mut self,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> Option<ExpressionId> {
        let (left, right) = (self.decay(left), self.decay(right));
        let is_float = |sema: &Self, id: TypeId| sema.program.types.is_floating(id);
        let partial = is_float(self, self.type_of(left).id) || is_float(self, self.type_of(right).id);
        let (a, first) = self.bound_value_of(left, span);
        let (b, second) = self.bound_value_of(right, span);
        let less = self.built_in_comparison(Comparison::Less, first, second, span)?;
        let equal = self.built_in_comparison(Comparison::Equal, first, second, span)?;
        let category = if partial { "partial_ordering" } else { "strong_ordering" };
        let is_less = self.ordering(category, "less", span)?;
        let is_greater = self.ordering(category, "greater", span)?;
        let is_equal = self.ordering(category, if partial { "equivalent" } else { "equal" }, span)?;
        let ty = self.type_of(is_less);
        let mut otherwise = is_greater;
        if partial {
            let greater = self.built_in_comparison(Comparison::Greater, first, second, span)?;
            let unordered = self.ordering(category, "unordered", span)?;
            otherwise = self.choose(greater, is_greater, unordered, ty, span);
        }
        let rest = self.choose(equal, is_equal, otherwise, ty, span);
        let body = self.choose(less, is_less, rest, ty, span);
        let inner = ExpressionKind::Let {
            binding: b,
            value: right,
            body,
        };
        let body = self.value(inner, ty, span);
        let outer = ExpressionKind::Let {
            binding: a,
            value: left,
            body,
        };
        Some(self.value(outer, ty, span))
    }

    fn bound_value_of(&mut self, value: ExpressionId, span: Span) -> (crate::hir::BindingId, ExpressionId) {
        let binding = self.program.add_binding();
        let ty = self.type_of(value);
        (binding, self.value(ExpressionKind::Bound(binding), ty, span))
    }

    fn choose(
        &mut self,
        condition: ExpressionId,
        yes: ExpressionId,
        no: ExpressionId,
        ty: QualifiedType,
        span: Span,
    ) -> ExpressionId {
        self.value(ExpressionKind::Conditional { condition, yes, no }, ty, span)
    }

    /// A class of `<compare>`; `None` after a message.
    pub(crate) fn ordering_type(&mut self, category: &str, span: Span) -> Option<QualifiedType> {
        let std = self.lookup_qualified(crate::sema::ScopeId::GLOBAL, crate::source::names::STD);
        let symbol = self.context.interner.intern(category);
        let found = match std.found {
            Found::Namespace(scope) => self.lookup_qualified(scope, symbol).found,
            _ => Found::Nothing,
        };
        match found {
            Found::Type(ty) => Some(ty),
            _ => {
                let message = format!("`<=>` gives `std::{category}`, which is not declared");
                self.emit(Report::error(span, message).note("`#include <compare>` declares it"));
                None
            }
        }
    }

    /// A value of a class of `<compare>`; `None` after a message.
    fn ordering(&mut self, category: &str, value: &str, span: Span) -> Option<ExpressionId> {
        let ty = self.ordering_type(category, span)?;
        let class = self.program.types.as_class(ty.id)?;
        let symbol = self.context.interner.intern(value);
        let Found::Variable(variable) = self.lookup_member(class, symbol).found else {
            return None;
        };
        self.require_variable(variable);
        match self.program.variable(variable).initialiser.clone() {
            VariableInitialiser::Constant(value) => Some(self.constant(value, ty, span)),
            VariableInitialiser::None | VariableInitialiser::Dynamic(_) => None,
        }
    }

    /// An operator that no function is declared for, by one that is: `a != b` as `!(a == b)`, `a < b` as `(a <=> b) < 0`, and each with its operands exchanged.
    /// `None` if there is none.
    pub(super) fn rewritten_operator(
        &mut self,
        operator: BinaryOperator,
        left: &Operand<'a>,
        right: &Operand<'a>,
        span: Span,
    ) -> Option<ExpressionId> {
        let base = match operator {
            BinaryOperator::Equal | BinaryOperator::NotEqual => OperatorName::Equal,
            BinaryOperator::Less
            | BinaryOperator::Greater
            | BinaryOperator::LessEqual
            | BinaryOperator::GreaterEqual
            | BinaryOperator::ThreeWay => OperatorName::ThreeWay,
            _ => return None,
        };
        let own = super::binary::operator_name(operator)?;
        let operands = [left.clone(), right.clone()];
        if self.has_operator_function(own, &operands, span) {
            return None;
        }
        for exchanged in [false, true] {
            if !exchanged && base == own {
                continue;
            }
            let operands = match exchanged {
                false => operands.clone(),
                true => [right.clone(), left.clone()],
            };
            if !self.has_operator_function(base, &operands, span) {
                continue;
            }
            let super::overloaded::Overloaded::Done(result) =
                self.overloaded_operator(base, &operands, super::overloaded::Fallback::None, span)
            else {
                continue;
            };
            if self.is_poisoned(result) {
                return Some(result);
            }
            return Some(self.made_from_base_operator(operator, result, exchanged, span));
        }
        None
    }

    /// The same of expressions: of a defaulted comparison.
    pub(crate) fn rewritten_comparison(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> Option<ExpressionId> {
        let (left, right) = (Operand::Expression(left), Operand::Expression(right));
        let base = match operator {
            BinaryOperator::NotEqual => BinaryOperator::Equal,
            _ => BinaryOperator::ThreeWay,
        };
        let result = self.binary_operands(base, &left, &right, span, span);
        (!self.is_poisoned(result)).then(|| self.made_from_base_operator(operator, result, false, span))
    }

    fn made_from_base_operator(
        &mut self,
        operator: BinaryOperator,
        result: ExpressionId,
        exchanged: bool,
        span: Span,
    ) -> ExpressionId {
        match operator {
            BinaryOperator::Equal => result,
            BinaryOperator::NotEqual => {
                let condition = self.convert_condition(result);
                self.value(ExpressionKind::Unary(UnaryOperator::Not, condition), Types::BOOL, span)
            }
            BinaryOperator::ThreeWay if !exchanged => result,
            _ => {
                let zero = self.integer(0, Types::INT, span);
                self.expressions.null_constants.insert(zero);
                let (left, right) = match exchanged {
                    false => (result, zero),
                    true => (zero, result),
                };
                self.binary_operands(
                    operator,
                    &Operand::Expression(left),
                    &Operand::Expression(right),
                    span,
                    span,
                )
            }
        }
    }

    /// Whether a declared function fits an operator.
    fn has_operator_function(&mut self, operator: OperatorName, operands: &[Operand<'a>; 2], span: Span) -> bool {
        let Operand::Expression(first) = operands[0] else {
            return false;
        };
        let candidates = self.operator_candidates(operator, operands);
        if candidates.is_empty() {
            return false;
        }
        let is_class = self.program.types.as_class(self.type_of(first).id).is_some();
        let object = is_class.then(|| self.materialised(first));
        let call = Call {
            object,
            operands: if is_class { &operands[1..] } else { operands },
            arguments: None,
            user: true,
            skip_explicit: false,
            is_operator: true,
            span,
        };
        !matches!(self.resolve(&candidates, &call, Vec::new()), Resolution::None(_))
    }
}
