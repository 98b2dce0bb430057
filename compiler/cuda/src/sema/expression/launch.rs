//! Kernel launches, `throw`, statement expressions and variable arguments.

use super::Operand;
use crate::hir::{Callee, ExpressionId, ExpressionKind, QualifiedType, StatementKind, Types};
use crate::sema::conversion::implicit::Permit;
use crate::sema::{Found, ScopeId, Sema};
use crate::source::{Report, Span};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// `kernel<<<grid, block>>>(arguments)`.
    pub(super) fn kernel_launch(
        &mut self,
        callee: ast::Id<ast::Expression>,
        configuration: &'a [ast::Id<ast::Expression>],
        arguments: &'a [ast::Id<ast::Expression>],
        span: Span,
    ) -> ExpressionId {
        let configuration = match self.operands(configuration) {
            Some(operands) => self.configuration(&operands),
            None => Vec::new(),
        };
        // As a call: overload resolution and deduction choose the kernel, and it is used.
        let saved = self.launching.replace(span);
        let call = self.call(callee, arguments, span);
        self.launching = saved;
        if let ExpressionKind::Call {
            callee: Callee::Direct(function) | Callee::Virtual(function),
            ..
        } = self.program.expression(call).kind
            && !self.program.function(function).space.global
        {
            let message = format!(
                "{} is no kernel and cannot be launched",
                self.describe_function(function)
            );
            let declared = self.program.function(function).span;
            self.emit(Report::error(span, message).note_at(declared, "declared here, without `__global__`"));
        }
        self.value(ExpressionKind::Launch { call, configuration }, Types::VOID, span)
    }

    /// What a launch is configured by: two `dim3`, a size and a stream, as far as they are written and declared.
    fn configuration(&mut self, operands: &[Operand<'a>]) -> Vec<ExpressionId> {
        let Some(dim3) = self.type_of_runtime("dim3") else {
            return Vec::new();
        };
        let stream = self.type_of_runtime("cudaStream_t");
        let wanted = [
            (Some(dim3), "the grid of a launch"),
            (Some(dim3), "the block of a launch"),
            (
                Some(Types::UNSIGNED_LONG.unqualified()),
                "the dynamic shared memory of a launch",
            ),
            (stream, "the stream of a launch"),
        ];
        let known = operands
            .iter()
            .zip(wanted)
            .map_while(|(operand, (ty, what))| Some((operand, ty?, what)));
        known
            .map(|(operand, ty, what)| self.initialise_operand(ty, operand, Permit::IMPLICIT, what))
            .collect()
    }

    /// A type that the runtime's headers declare.
    fn type_of_runtime(&mut self, name: &str) -> Option<QualifiedType> {
        let name = self.context.interner.intern(name);
        match self.lookup_qualified(ScopeId::GLOBAL, name).found {
            Found::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// `throw`: legal, of type `void`; refused when code is generated from it.
    pub(super) fn throw_expression(&mut self, operand: Option<ast::Id<ast::Expression>>, span: Span) -> ExpressionId {
        if let Some(operand) = operand {
            self.expression(operand);
        }
        self.value(ExpressionKind::Unsupported("`throw`".into()), Types::VOID, span)
    }

    /// `({ … })`: its value is that of the last statement, if that is an expression.
    pub(super) fn statement_expression(&mut self, statement: ast::Id<ast::Statement>, span: Span) -> ExpressionId {
        let ast = self.ast;
        let ast::StatementKind::Compound(list) = &ast[statement].kind else {
            return self.poison(span);
        };
        if self.function.function.is_none() {
            return self.fail(span, "a statement expression can only stand in a function");
        }
        self.in_block(|sema| {
            let last = match list.last().map(|&last| &ast[last].kind) {
                Some(&ast::StatementKind::Expression(expression)) => Some(expression),
                _ => None,
            };
            let before = if last.is_some() {
                &list[..list.len() - 1]
            } else {
                &list[..]
            };
            let statements: Vec<_> = before.iter().map(|&statement| sema.statement(statement)).collect();
            let body = sema.program.add_statement(StatementKind::Block(statements), span);
            let value = last.map(|last| {
                let value = sema.expression(last);
                let ty = sema.type_of(value).unqualified();
                match sema.program.types.as_class(ty.id) {
                    Some(class) => sema.class_value(value, class, ty),
                    None => sema.decay(value),
                }
            });
            let ty = value.map_or(Types::VOID.into(), |value| sema.type_of(value));
            if ty.id == Types::ERROR {
                return sema.poison(span);
            }
            sema.value(ExpressionKind::StatementExpression { body, value }, ty, span)
        })
    }

    /// `__builtin_va_arg(list, T)`.
    pub(super) fn va_arg(
        &mut self,
        list: ast::Id<ast::Expression>,
        type_id: ast::Id<ast::TypeId>,
        span: Span,
    ) -> ExpressionId {
        let list = self.expression(list);
        let ty = self.type_of_type_id(type_id);
        if self.is_poisoned(list) || ty.id == Types::ERROR {
            return self.poison(span);
        }
        if !self.category_of(list).is_glvalue() {
            return self.fail(span, "`va_arg` needs a variable of type `va_list`");
        }
        self.value(ExpressionKind::VariableArgument(list), ty.unqualified(), span)
    }
}
