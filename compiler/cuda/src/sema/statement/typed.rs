//! Operators and calls on expressions that are typed already: of what the compiler writes out itself.

use crate::hir::{CastKind, Constant, ExpressionId, ExpressionKind, QualifiedType};
use crate::sema::expression::Operand;
use crate::sema::{Found, Sema};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// An operator with one operand.
    pub(crate) fn operator_unary(
        &mut self,
        operator: ast::UnaryOperator,
        operand: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        self.unary_operand(operator, &Operand::Expression(operand), span)
    }
    /// An operator with two operands.
    pub(crate) fn operator_binary(
        &mut self,
        operator: ast::BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        self.binary_operands(
            operator,
            &Operand::Expression(left),
            &Operand::Expression(right),
            span,
            span,
        )
    }
    /// `place = value`.
    pub(crate) fn operator_assign(&mut self, place: ExpressionId, value: ExpressionId, span: Span) -> ExpressionId {
        self.assign_operand(None, place, &Operand::Expression(value), span, span)
    }
    /// `object.name(arguments)`.
    pub(crate) fn call_member(
        &mut self,
        object: ExpressionId,
        name: Symbol,
        arguments: &[ExpressionId],
        span: Span,
    ) -> ExpressionId {
        let Some(class) = self.program.types.as_class(self.program.type_of(object).id) else {
            return self.poison(span);
        };
        let lookup = self.lookup_member_at(class, name, span);
        let Found::Functions(candidates) = lookup.found else {
            let message = format!(
                "`{}` has no member function `{}`",
                self.class_name(class),
                self.text(name)
            );
            return self.fail(span, message);
        };
        let operands: Vec<Operand<'a>> = arguments
            .iter()
            .map(|&argument| Operand::Expression(argument))
            .collect();
        let what = self.text(name).to_string();
        self.call_candidates(&candidates, None, Some(object), &operands, false, &what, span)
    }
    /// `name(arguments)` with argument-dependent look-up alone.
    pub(crate) fn call_dependent(&mut self, name: Symbol, arguments: &[ExpressionId], span: Span) -> ExpressionId {
        let types: Vec<QualifiedType> = arguments
            .iter()
            .map(|&argument| self.program.type_of(argument))
            .collect();
        let candidates = self.lookup_argument_dependent(name, &types);
        let what = self.text(name).to_string();
        if candidates.is_empty() {
            let shown = types.first().map_or(String::new(), |&ty| self.show(ty));
            return self.fail(span, format!("there is no function `{what}` for `{shown}`"));
        }
        let operands: Vec<Operand<'a>> = arguments
            .iter()
            .map(|&argument| Operand::Expression(argument))
            .collect();
        self.call_candidates(&candidates, None, None, &operands, true, &what, span)
    }
    /// The value of an expression, read if it is a glvalue.
    fn read_value(&mut self, expression: ExpressionId) -> ExpressionId {
        let node = self.program.expression(expression);
        if !node.category.is_glvalue() {
            return expression;
        }
        let (ty, span) = (node.ty.unqualified(), node.span);
        let kind = ExpressionKind::Cast(CastKind::LValueToRValue, expression);
        self.program.add_value(kind, ty, span)
    }
    /// The constant value of an expression of scalar type; `None` after a message.
    pub(crate) fn evaluate_value(&mut self, expression: ExpressionId, span: Span) -> Option<Constant> {
        let value = self.read_value(expression);
        self.evaluate(value, span)
    }
    /// The same without a message.
    pub(crate) fn try_evaluate_value(&mut self, expression: ExpressionId) -> Option<Constant> {
        let value = self.read_value(expression);
        self.try_evaluate(value)
    }
}
