//! The call operator of a closure ([expr.prim.lambda.closure]).

use crate::hir::{
    self, ClassId, FunctionBody, FunctionId, FunctionName, FunctionType, InlineHint, Linkage, OperatorName,
    QualifiedType, Qualifiers, Scope, StorageDuration, Types, VariableId,
};
use crate::sema::context::{FunctionContext, ResultType};
use crate::sema::entity::{Candidate, Definition};
use crate::sema::expression::Operand;
use crate::sema::{Access, Callable, Declared, Entity, ScopeId, ScopeKind, Sema};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

/// A parameter of a call operator.
struct OperatorParameter {
    name: Option<Symbol>,
    variable: VariableId,
    ty: QualifiedType,
    default: Option<ast::Id<ast::Expression>>,
}

impl<'a> Sema<'a> {
    /// Whether a lambda has a parameter declared with `auto`.
    pub(super) fn is_generic(&self, syntax: &ast::Lambda) -> bool {
        syntax.function.parameters.iter().any(|&parameter| {
            let specifiers = self.ast[parameter].specifiers;
            matches!(self.ast[specifiers].type_specifier, ast::TypeSpecifier::Auto)
        })
    }

    /// The call operator of a lambda that is not generic, with its body. False after a message.
    pub(super) fn plain_operator(&mut self, index: u32) -> bool {
        let (syntax, around) = self.lambda_syntax(index);
        let scope = self.scopes.add(ScopeKind::Function(None), Some(around));
        let parameters = self.in_scope(scope, |sema| {
            let parts = sema.declare_parameters(&syntax.function);
            let part = |part: crate::sema::declaration::types::ParameterParts| (part.name, part.variable, part.default);
            parts.into_iter().map(part).collect::<Vec<_>>()
        });
        let parameters: Vec<OperatorParameter> = parameters
            .into_iter()
            .map(|(name, variable, default)| OperatorParameter {
                name,
                variable,
                ty: self.program.variable(variable).ty,
                default,
            })
            .collect();
        let errors = self.context.diagnostics.error_count();
        let Some(function) = self.make_operator(index, scope, parameters) else {
            return false;
        };
        self.declare_operator(index, function);
        self.operator_body(index, function, scope);
        let _ = errors;
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
        let adjusted = |sema: &Self, ty: QualifiedType| {
            if sema.program.types.is_reference(ty.id) {
                ty
            } else {
                ty.unqualified()
            }
        };
        let types: Vec<QualifiedType> = parameters
            .iter()
            .map(|parameter| adjusted(self, parameter.ty))
            .collect();
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
        info.parameter_names = parameters.iter().map(|parameter| parameter.name).collect();
        info.defaults = parameters
            .iter()
            .map(|parameter| match parameter.default {
                Some(default) => crate::sema::DefaultArgument::Syntax(default, scope),
                None => crate::sema::DefaultArgument::None,
            })
            .collect();
        self.scopes.get_mut(scope).kind = ScopeKind::Function(Some(function));
        self.program.class_mut(class).lambda.get_or_insert(function);
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
        context.result = if self.has_placeholder(result.id) {
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

    /// The candidates for a call of a closure of a generic lambda with these operands; `None` if the class is no such closure. No candidates if the parameters
    /// cannot be deduced.
    pub(crate) fn generic_candidates(
        &mut self,
        class: ClassId,
        operands: &[Operand<'a>],
        span: Span,
    ) -> Option<Vec<Candidate>> {
        let index = self.lambda_of(class)?;
        let (syntax, _) = self.lambda_syntax(index);
        if !self.is_generic(syntax) {
            return None;
        }
        match self.generic_operator(index, operands, span) {
            Some(function) => Some(vec![Candidate::new(Callable::Function(function))]),
            None => Some(Vec::new()),
        }
    }

    /// The call operator for the types that the operands deduce.
    fn generic_operator(&mut self, index: u32, operands: &[Operand<'a>], span: Span) -> Option<FunctionId> {
        let (syntax, around) = self.lambda_syntax(index);
        let scope = self.scopes.add(ScopeKind::Function(None), Some(around));
        let mut types: Vec<QualifiedType> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut given = operands.iter();
        for (place, &id) in syntax.function.parameters.iter().enumerate() {
            let pattern = self.in_scope(scope, |sema| sema.parameter_pattern(id));
            let rest = syntax.function.parameters.len() - place - 1;
            let is_pack = self.ast[self.ast[id].declarator].pack;
            let count = if is_pack { given.len().saturating_sub(rest) } else { 1 };
            for _ in 0..count {
                let ty = match given.next() {
                    Some(operand) if self.has_placeholder(pattern.id) => {
                        let seen = self.deduction_operand(operand);
                        self.deduce_auto(pattern, &seen)?
                    }
                    Some(_) => pattern,
                    None if self.has_placeholder(pattern.id) => return None,
                    None => pattern,
                };
                types.push(ty);
            }
            counts.push(count);
        }
        if let Some(&known) = self.expressions.lambdas.all[index as usize].instances.get(&types) {
            return Some(known);
        }
        let parameters = self.in_scope(scope, |sema| {
            sema.generic_parameters(&syntax.function.parameters, &counts, &types)
        });
        let function = self.make_operator(index, scope, parameters)?;
        self.program.function_mut(function).template_arguments =
            Some(types.iter().map(|&ty| hir::TemplateArgument::Type(ty)).collect());
        self.expressions.lambdas.all[index as usize]
            .instances
            .insert(types, function);
        let message = "in the call operator of this generic lambda";
        self.context.diagnostics.enter(span, message);
        self.beyond_traps(|sema| sema.operator_body(index, function, scope));
        self.context.diagnostics.leave();
        Some(function)
    }

    /// A parameter's type with `auto` in it.
    fn parameter_pattern(&mut self, id: ast::Id<ast::Parameter>) -> QualifiedType {
        let ast = self.ast;
        let parameter = &ast[id];
        let base = self.specifiers_type(parameter.specifiers, false);
        let declared = self.declarator_type(base, parameter.declarator).ty;
        self.adjust_parameter(declared, parameter.span)
    }

    /// Declares the parameters of a generic lambda's call operator.
    fn generic_parameters(
        &mut self,
        parameters: &'a [ast::Id<ast::Parameter>],
        counts: &[usize],
        types: &[QualifiedType],
    ) -> Vec<OperatorParameter> {
        let ast = self.ast;
        let mut all = Vec::with_capacity(types.len());
        let mut types = types.iter();
        for (&id, &count) in parameters.iter().zip(counts) {
            let parameter = &ast[id];
            let declarator = &ast[parameter.declarator];
            let name = declarator.name.and_then(|name| ast[name].as_identifier());
            let mut entities = Vec::new();
            for &ty in types.by_ref().take(count) {
                let shared = name.map(|name| self.shared(name));
                let scope = self.hir_scope(self.scope);
                let node = hir::Variable::new(shared, scope, ty, StorageDuration::Parameter, parameter.span);
                let variable = self.add_variable(node, name);
                entities.push(Entity::Variable(variable));
                all.push(OperatorParameter {
                    name,
                    variable,
                    ty,
                    default: parameter.default,
                });
            }
            let Some(name) = name else { continue };
            if declarator.pack {
                let pack = self.add_pack(entities);
                self.declare(name, Entity::Pack(pack), parameter.span);
            } else if let Some(&entity) = entities.first() {
                self.declare(name, entity, parameter.span);
            }
        }
        all
    }
}
