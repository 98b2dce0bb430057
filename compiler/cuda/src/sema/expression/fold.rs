//! Fold expressions ([expr.prim.fold]).

use crate::hir::{ExpressionId, Types};
use crate::sema::Sema;
use crate::sema::template::pack::Pattern;
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOperator};

use super::Operand;

impl<'a> Sema<'a> {
    /// `(pack op ...)`, `(... op pack)`, `(pack op ... op init)`, `(init op ... op pack)`.
    pub(super) fn fold(
        &mut self,
        left: Option<ast::Id<ast::Expression>>,
        operator: BinaryOperator,
        assigns: bool,
        right: Option<ast::Id<ast::Expression>>,
        span: Span,
    ) -> ExpressionId {
        let (pattern, init, from_left) = match (left, right) {
            (Some(pattern), None) => (pattern, None, false),
            (None, Some(pattern)) => (pattern, None, true),
            (Some(left), Some(right)) => {
                if self.contains_pack(left) {
                    (left, Some(right), false)
                } else {
                    (right, Some(left), true)
                }
            }
            (None, None) => return self.poison(span),
        };
        let Some(elements) = self.expand(Pattern::Expression(pattern), span, |sema| sema.operand(pattern)) else {
            return self.poison(span);
        };
        let init = init.map(|init| self.operand(init));
        let mut all: Vec<Operand<'a>> = elements;
        match (init, from_left) {
            (Some(init), true) => all.insert(0, init),
            (Some(init), false) => all.push(init),
            (None, _) => {}
        }
        if all.is_empty() {
            return self.empty_fold(operator, assigns, span);
        }
        let combine = |sema: &mut Self, left: &Operand<'a>, right: &Operand<'a>| {
            if assigns {
                let target = sema.settle(left);
                let compound = (operator != BinaryOperator::Comma).then_some(operator);
                sema.assign_operand(compound, target, right, span, span)
            } else {
                sema.binary_operands(operator, left, right, span, span)
            }
        };
        let mut operands = all.into_iter();
        let result = if from_left {
            let first = operands.next();
            operands.fold(first, |left, right| {
                left.map(|left| Operand::Expression(combine(self, &left, &right)))
            })
        } else {
            let last = operands.next_back();
            operands.rev().fold(last, |right, left| {
                right.map(|right| Operand::Expression(combine(self, &left, &right)))
            })
        };
        match result {
            Some(operand) => self.settle(&operand),
            None => self.poison(span),
        }
    }

    /// The value of a fold over no elements ([temp.variadic]/9).
    fn empty_fold(&mut self, operator: BinaryOperator, assigns: bool, span: Span) -> ExpressionId {
        match operator {
            BinaryOperator::LogicalAnd => self.boolean(true, span),
            BinaryOperator::LogicalOr => self.boolean(false, span),
            BinaryOperator::Comma if !assigns => self.value(crate::hir::ExpressionKind::Zero, Types::VOID, span),
            _ => self.fail(
                span,
                format!(
                    "the fold over `{}` has no elements, and that operator has no value for none",
                    operator.spelling()
                ),
            ),
        }
    }

    /// Whether the left operand of a binary fold is the one with the pack: the other is elaborated as it is.
    fn contains_pack(&mut self, id: ast::Id<ast::Expression>) -> bool {
        let span = self.ast[id].span;
        self.trying(|sema| sema.expand(Pattern::Expression(id), span, |_| ()))
            .is_ok_and(|expanded| expanded.is_some())
    }
}
