//! What the expressions name that end a unit.

use super::Sema;
use crate::hir::{
    Constant, ConstantBase, ExpressionId, ExpressionKind, MemorySpace, Root, VariableId, VariableInitialiser,
};
use crate::names::PREFIX;

impl Sema<'_> {
    /// Finds what the expressions name, and keeps it.
    pub(super) fn named(&mut self) {
        for (index, name) in self.options.names.clone().iter().enumerate() {
            let pointer = format!("{PREFIX}{index}");
            let mut variables = self.program.variable_ids();
            let Some(pointer) = variables.find(|&id| self.program.variable(id).name.as_deref() == Some(&*pointer))
            else {
                // It is not written as an expression, which has been said.
                continue;
            };
            match self.pointed_to(pointer) {
                Some(Root::Function(function)) if self.program.function(function).space.global => {
                    self.keep_function(function);
                    self.program.named.push(Root::Function(function));
                }
                Some(Root::Variable(variable)) if self.program.variable(variable).memory != MemorySpace::Host => {
                    self.keep_variable(variable);
                    self.program.named.push(Root::Variable(variable));
                }
                // What is wrong with it has been said.
                None if self.context.diagnostics.has_errors() => {}
                Some(_) | None => {
                    let span = self.program.variable(pointer).span;
                    let wanted = "a name expression names a kernel, or the address of a variable of the device";
                    self.error(span, format!("{wanted}; `{name}` does not"));
                }
            }
        }
    }

    /// What a pointer points to from the start.
    fn pointed_to(&self, pointer: VariableId) -> Option<Root> {
        match &self.program.variable(pointer).initialiser {
            VariableInitialiser::Constant(Constant::Pointer(ConstantBase::Function(id), 0)) => {
                Some(Root::Function(*id))
            }
            VariableInitialiser::Constant(Constant::Pointer(ConstantBase::Variable(id), 0)) => {
                Some(Root::Variable(*id))
            }
            VariableInitialiser::Dynamic(expression) => self.address(*expression),
            VariableInitialiser::Constant(_) | VariableInitialiser::None => None,
        }
    }

    /// Whose address an expression is.
    fn address(&self, expression: ExpressionId) -> Option<Root> {
        match &self.program.expression(expression).kind {
            ExpressionKind::Function(id) => Some(Root::Function(*id)),
            ExpressionKind::Variable(id) => Some(Root::Variable(*id)),
            ExpressionKind::AddressOf(inner) => self.address(*inner),
            ExpressionKind::Cast(kind, inner) if *kind != crate::hir::CastKind::LValueToRValue => self.address(*inner),
            _ => None,
        }
    }

    /// Whether a variable is one of the pointers, of which there is no code.
    pub(super) fn is_of_names(&self, variable: VariableId) -> bool {
        let name = &self.program.variable(variable).name;
        !self.options.names.is_empty() && name.as_ref().is_some_and(|name| name.starts_with(PREFIX))
    }
}
