//! Operators and calls on typed expressions: what range-based `for`, structured bindings and implicit members are made of.

use crate::hir::{ExpressionId, QualifiedType};
use crate::sema::Sema;
use crate::sema::entity::Found;
use crate::source::{Span, Symbol};
use crate::syntax::ast;

use super::Operand;

impl<'a> Sema<'a> {
    /// `operator operand`, overloads included.
    pub(crate) fn operator_unary(
        &mut self,
        operator: ast::UnaryOperator,
        operand: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        self.unary_operand(operator, &Operand::Expression(operand), span)
    }

    /// `left operator right`, overloads included.
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

    /// `place = value`, overloads included.
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
        let object = self.materialised(object);
        let Some(class) = self.program.types.as_class(self.type_of(object).id) else {
            return self.poison(span);
        };
        let what = format!("`{}`", self.context.text(name));
        let operands: Vec<Operand<'a>> = arguments
            .iter()
            .map(|&argument| Operand::Expression(argument))
            .collect();
        let lookup = self.lookup_member(class, name);
        match lookup.found {
            Found::Functions(candidates) => self.call_candidates(
                &candidates,
                lookup.arguments.as_ref(),
                Some(object),
                &operands,
                false,
                &what,
                span,
            ),
            Found::Field(owner, path) => {
                let to = QualifiedType {
                    id: self.program.types.class(owner),
                    qualifiers: self.type_of(object).qualifiers,
                };
                let object = self.upcast_to(object, to);
                let callee = self.fields(object, &path, span);
                self.call_expression(callee, &operands, span)
            }
            Found::Error => self.poison(span),
            _ => self.fail(span, format!("there is no member function {what}")),
        }
    }

    /// `name(arguments)` by argument-dependent look-up alone ([stmt.ranged]/1.3.3).
    pub(crate) fn call_dependent(&mut self, name: Symbol, arguments: &[ExpressionId], span: Span) -> ExpressionId {
        let what = format!("`{}`", self.context.text(name));
        let types: Vec<QualifiedType> = arguments.iter().map(|&argument| self.type_of(argument)).collect();
        let operands: Vec<Operand<'a>> = arguments
            .iter()
            .map(|&argument| Operand::Expression(argument))
            .collect();
        let candidates = self.lookup_argument_dependent(name, &types);
        if candidates.is_empty() {
            if operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
                return self.poison(span);
            }
            return self.fail(span, format!("there is no function {what} for these types"));
        }
        self.call_candidates(&candidates, None, None, &operands, false, &what, span)
    }
}
