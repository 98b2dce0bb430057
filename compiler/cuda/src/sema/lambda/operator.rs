//! The call operator of a closure ([expr.prim.lambda.closure]).

use std::rc::Rc;

use crate::hir::{
    self, CallOperator, FunctionBody, FunctionId, FunctionName, FunctionType, InlineHint, Linkage, OperatorName,
    QualifiedType, Qualifiers, Scope, TemplateArgument, Types, VariableId,
};
use crate::sema::context::{FunctionContext, ResultType};
use crate::sema::entity::Definition;
use crate::sema::{Access, Declared, Entity, ExceptionSource, ScopeId, ScopeKind, Sema, TemplateId, TemplateKind};
use crate::source::Symbol;
use crate::syntax::ast;

/// A parameter of a call operator.
struct OperatorParameter {
    name: Option<Symbol>,
    variable: VariableId,
    ty: QualifiedType,
    default: Option<ast::Id<ast::Expression>>,
}

impl<'a> Sema<'a> {
    /// Whether a lambda has template parameters, or a parameter declared with `auto`.
    pub(super) fn is_generic(&self, syntax: &ast::Lambda) -> bool {
        syntax.template_parameters.is_some()
            || syntax.function.parameters.iter().any(|&parameter| {
                let specifiers = self.ast[parameter].specifiers;
                matches!(self.ast[specifiers].type_specifier, ast::TypeSpecifier::Auto)
            })
    }

    /// The call operator of a lambda that is not generic, with its body. False after a message.
    pub(super) fn plain_operator(&mut self, index: u32) -> bool {
        let (syntax, around) = self.lambda_syntax(index);
        let scope = self.scopes.add(ScopeKind::Function(None), Some(around));
        let parameters = self.declared_parameters(syntax, scope);
        let Some(function) = self.make_operator(index, scope, parameters) else {
            return false;
        };
        self.name_closure(index, CallOperator::Plain(function));
        self.declare_operator(index, function);
        self.operator_body(index, function, scope);
        true
    }

    fn lambda_syntax(&self, index: u32) -> (&'a ast::Lambda, ScopeId) {
        let lambda = &self.expressions.lambdas.all[index as usize];
        (lambda.syntax, lambda.scope)
    }

    /// Declares the function; its body waits.
    fn make_operator(&mut self, index: u32, scope: ScopeId, parameters: Vec<OperatorParameter>) -> Option<FunctionId> {
        let (syntax, _) = self.lambda_syntax(index);
        let chunk = &syntax.function;
        let result = match chunk.trailing_return {
            Some(trailing) => self.in_scope(scope, |sema| sema.type_of_type_id(trailing)),
            None => Types::AUTO.into(),
        };
        let types: Vec<QualifiedType> = parameters.iter().map(|parameter| parameter.ty.unqualified()).collect();
        if types.iter().any(|ty| ty.id == Types::ERROR) {
            return None;
        }
        let mut signature = FunctionType::new(result, types);
        signature.variadic = chunk.is_variadic;
        signature.qualifiers = if syntax.is_mutable {
            Qualifiers::NONE
        } else {
            Qualifiers::CONST
        };
        signature.noexcept = matches!(chunk.exception, ast::ExceptionSpecification::Noexcept);
        let ty = self.program.types.function(signature);
        let class = self.expressions.lambdas.all[index as usize].class;
        let mut node = hir::Function::new(
            FunctionName::Operator(OperatorName::Call),
            Scope::Class(class),
            ty,
            syntax.span,
        );
        node.parameters = parameters.iter().map(|parameter| parameter.variable).collect();
        node.has_this = true;
        node.space = self.expressions.lambdas.all[index as usize].space;
        node.inline = InlineHint::Inline;
        node.linkage = Linkage::Internal;
        node.is_constexpr = true;
        let name = self.operator_symbol(ast::OperatorName::Call);
        let function = self.in_scope(scope, |sema| sema.add_function(node, name));
        for parameter in &parameters {
            self.program.variable_mut(parameter.variable).scope = Scope::Function(function);
            self.variables[parameter.variable.index()].function = Some(function);
        }
        let info = &mut self.functions[function.index()];
        info.class = Some(class);
        info.definition = Definition::InProgress;
        if let ast::ExceptionSpecification::NoexceptIf(condition) = chunk.exception {
            info.exceptions = ExceptionSource::Condition(condition, scope);
        }
        info.parameter_names = parameters.iter().map(|parameter| parameter.name).collect();
        info.defaults = parameters
            .iter()
            .map(|parameter| match parameter.default {
                Some(default) => crate::sema::DefaultArgument::Syntax(default, scope),
                None => crate::sema::DefaultArgument::None,
            })
            .collect();
        self.scopes.get_mut(scope).kind = ScopeKind::Function(Some(function));
        Some(function)
    }

    /// Makes `operator()` a member that look-up finds.
    fn declare_operator(&mut self, index: u32, function: FunctionId) {
        let class = self.expressions.lambdas.all[index as usize].class;
        let name = self.operator_symbol(ast::OperatorName::Call);
        let (order, span) = (self.now(), self.program.function(function).span);
        let declared = Declared {
            entity: Entity::Function(function),
            order,
            span,
            access: Access::Public,
            hidden: false,
            from_using: false,
        };
        let scope = self.classes[class.index()].scope;
        self.scopes.declare(scope, name, declared);
        self.program.class_mut(class).methods.push(function);
    }

    /// Elaborates the body in a context of its own.
    fn operator_body(&mut self, index: u32, function: FunctionId, scope: ScopeId) {
        let lambda = &self.expressions.lambdas.all[index as usize];
        let (syntax, this, chain, space) = (lambda.syntax, lambda.this, lambda.chain.clone(), lambda.space);
        let result = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .map_or(Types::ERROR.into(), |ty| ty.result);
        let mut context = FunctionContext::new();
        context.function = Some(function);
        context.this = this;
        context.space = space;
        context.is_constexpr = true;
        context.lambdas = chain;
        context.result = if self.contains_placeholder(result) {
            ResultType::Deduced {
                pattern: result,
                found: None,
            }
        } else {
            ResultType::Known(result)
        };
        let saved = std::mem::replace(&mut self.function, context);
        let errors = self.context.diagnostics.error_count();
        self.check_parameters(function);
        let block = self.scopes.add(ScopeKind::Block, Some(scope));
        self.function.body_block = Some(block);
        let statement = self.in_scope(block, |sema| sema.compound_body(syntax.body));
        self.check_body(function, statement);
        self.check_labels();
        self.finish_result(function, syntax.span);
        self.function = saved;
        let failed = self.context.diagnostics.error_count() > errors;
        self.program.function_mut(function).body = Some(FunctionBody {
            initialisers: Vec::new(),
            statement,
        });
        self.functions[function.index()].definition = if failed { Definition::Failed } else { Definition::Done };
    }

    /// Declares the call operator of a generic lambda: a member template.
    pub(super) fn generic_operator(&mut self, index: u32) {
        let (syntax, scope) = self.lambda_syntax(index);
        let Some(&declaration) = self.ast.roots.first() else {
            return;
        };
        let written = syntax.template_parameters.as_deref().unwrap_or_default();
        let own = self.template_parameters(written);
        let own = self.with_parameters_of(own, &syntax.function);
        let name = self.operator_symbol(ast::OperatorName::Call);
        let saved = std::mem::replace(&mut self.requires_clause, syntax.requires);
        let template = self.add_template(TemplateKind::Function, name, scope, own, declaration, syntax.span);
        self.requires_clause = saved;
        let class = self.expressions.lambdas.all[index as usize].class;
        let entry = &mut self.templates[template.0 as usize];
        entry.lambda = Some((index, &syntax.function));
        entry.class = Some(class);
        let declared = Declared {
            entity: Entity::Template(template),
            order: self.now(),
            span: syntax.span,
            access: Access::Public,
            hidden: false,
            from_using: false,
        };
        let members = self.classes[class.index()].scope;
        self.scopes.declare(members, name, declared);
        let signature = self.signature_of(template);
        self.name_closure(index, CallOperator::Generic(signature.parameters.as_slice().into()));
    }

    /// The call operator for template arguments. Its body waits until it is called.
    pub(crate) fn lambda_instance(
        &mut self,
        index: u32,
        template: TemplateId,
        arguments: Rc<[TemplateArgument]>,
    ) -> Option<FunctionId> {
        let (syntax, around) = self.lambda_syntax(index);
        let parameters = self.template(template).parameters.clone();
        let binding = self.binding_scope(Some(template), around, None);
        self.bind_parameters(binding, &parameters, &arguments);
        let scope = self.scopes.add(ScopeKind::Function(None), Some(binding));
        let parameters = self.declared_parameters(syntax, scope);
        let function = self.make_operator(index, scope, parameters)?;
        self.program.function_mut(function).template_arguments = Some(arguments.to_vec());
        self.note_signature(function, template);
        self.templates[template.0 as usize]
            .instances
            .insert(arguments, Entity::Function(function));
        self.functions[function.index()].definition = Definition::Lambda { index, scope };
        Some(function)
    }
    /// Elaborates the body of a generic lambda for one of its call operators.
    pub(crate) fn generic_operator_body(&mut self, index: u32, function: FunctionId, scope: ScopeId) {
        let span = self.expressions.lambdas.all[index as usize].syntax.span;
        let message = "in the call operator of this generic lambda";
        self.context.diagnostics.enter(span, message);
        self.beyond_traps(|sema| sema.operator_body(index, function, scope));
        self.context.diagnostics.leave();
    }

    fn declared_parameters(&mut self, syntax: &'a ast::Lambda, scope: ScopeId) -> Vec<OperatorParameter> {
        let parts = self.in_scope(scope, |sema| sema.declare_parameters(&syntax.function));
        parts
            .into_iter()
            .map(|part| OperatorParameter {
                name: part.name,
                variable: part.variable,
                ty: self.program.variable(part.variable).ty,
                default: part.default,
            })
            .collect()
    }
}
