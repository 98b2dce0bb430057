//! The rules for what a function may be ([dcl.fct.spec], execution space specifiers of CUDA).

use super::FunctionDeclaration;
use super::function::FunctionShape;
use super::types::DeclaredType;
use crate::hir::{self, FunctionName, Types};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// The rules for what a function may be.
    pub(super) fn check_function(
        &mut self,
        function: &hir::Function,
        declaration: &FunctionDeclaration,
        declared: &DeclaredType<'a>,
        shape: &FunctionShape,
        span: Span,
    ) {
        let specifiers = &self.ast[declaration.specifiers];
        let result = shape.ty.result;
        if function.space.global {
            if result.id != Types::VOID && result.id != Types::ERROR && !self.contains_placeholder(result) {
                let message = format!("a `__global__` function returns `void`, not `{}`", self.show(result));
                self.error(specifiers.type_span, message);
            }
            if shape.class.is_some() && !shape.is_static {
                self.error(span, "a `__global__` function cannot be a member function");
            }
            if shape.ty.variadic {
                self.error(span, "a `__global__` function cannot have variable arguments");
            }
        }
        for parameter in declared.function.iter().flat_map(|parts| &parts.parameters) {
            let variable = self.program.variable(parameter.variable);
            if variable.grid_constant
                && !(function.space.global
                    && variable.ty.is_const()
                    && !self.program.types.is_reference(variable.ty.id))
            {
                let place = variable.span;
                self.error(
                    place,
                    "`__grid_constant__` is for `const` parameters of `__global__` functions that are no references",
                );
            }
        }
        let member_only = [
            (specifiers.is_virtual, "virtual"),
            (!matches!(specifiers.explicit, ast::ExplicitSpecifier::None), "explicit"),
        ];
        for (there, word) in member_only {
            if there && shape.class.is_none() && declaration.instance.is_none() {
                self.error(specifiers.span, format!("only members are `{word}`"));
            }
        }
        if specifiers.is_virtual && shape.is_static {
            self.error(specifiers.span, "a static member function cannot be virtual");
        }
        let chunk = declared.function.as_ref().map(|parts| parts.chunk);
        if let Some(chunk) = chunk
            && (shape.class.is_none() || shape.is_static)
            && (chunk.qualifiers != ast::Qualifiers::NONE || chunk.reference != ast::ReferenceQualifier::None)
        {
            self.error(chunk.span, "only non-static member functions have qualifiers");
        }
        if let Some(ast::FunctionBody::Default) = declaration.definition.map(|definition| &self.ast[definition].body)
            && !self.can_be_defaulted(shape)
        {
            self.error(span, "only special member functions and comparisons can be defaulted");
        }
    }
    fn can_be_defaulted(&self, shape: &FunctionShape) -> bool {
        use hir::OperatorName as O;
        match shape.name.name {
            FunctionName::Constructor => shape.ty.parameters.len() <= 1,
            FunctionName::Destructor => true,
            FunctionName::Operator(
                O::Equal
                | O::EqualEqual
                | O::ExclaimEqual
                | O::Less
                | O::Greater
                | O::LessEqual
                | O::GreaterEqual
                | O::Spaceship,
            ) => true,
            FunctionName::Operator(_)
            | FunctionName::Identifier(_)
            | FunctionName::Conversion(_)
            | FunctionName::Literal(_) => false,
        }
    }
}
