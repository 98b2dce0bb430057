//! What does not depend on parameters of a template is looked up where the template stands ([temp.nondep]), whether it is ever used or not.
//!
//! After a unit's declarations the templates of the user's files are walked. Parameters, and all that may depend on them, stand for themselves there
//! ([`Entity::Parameter`]); an expression that has none of them, and is no part of another without, is elaborated as an operand that nothing evaluates. Where
//! it cannot be known whether something depends, it counts as if it did: a template that is right is never refused.

mod class;
mod expression;
mod statement;

use super::pattern::UnboundKind;
use super::{TemplateKind, UnboundParameter};
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::{Entity, Evaluation, FunctionContext, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, DeclarationKind};
use warpsmith_base::Severity;

impl<'a> Sema<'a> {
    /// Checks the templates of all files but the system's.
    pub(in crate::sema) fn check_templates(&mut self) {
        for index in 0..self.templates.len() {
            let template = &self.templates[index];
            let declared = (template.declaration, template.parameters.clone(), template.scope);
            let (declaration, parameters, scope) = template.definition.clone().unwrap_or(declared);
            let within_instance = template.class.is_some_and(|class| self.is_within_instance(class));
            let written = template.lambda.is_none() && template.guide.is_none() && template.friend_of.is_none();
            let order = template.body_order.max(template.order + 1);
            let (kind, class) = (template.kind, template.class);
            let members = template.outside_members.clone();
            if within_instance || !written || self.context.map.is_system(template.span.first) {
                continue;
            }
            let own = self.unbound_scope(&parameters, scope, 0);
            self.scopes.get_mut(own).limit = Some(order);
            let this = class.map(|class| self.program.types.class(class).unqualified());
            self.checking(own, this, |sema| {
                sema.check_defaults(&parameters);
                sema.check_templated(declaration);
            });
            if kind == TemplateKind::Class {
                for member in &members {
                    self.check_outside_member(declaration, scope, member);
                }
            }
        }
    }
    /// Does the walk of a template in a scope; nothing of it is kept but its errors.
    fn checking(&mut self, scope: ScopeId, this: Option<crate::hir::QualifiedType>, work: impl FnOnce(&mut Self)) {
        let context = FunctionContext {
            this,
            unchecked_access: true,
            evaluation: Evaluation {
                unevaluated: true,
                constant: false,
            },
            ..FunctionContext::default()
        };
        let saved = std::mem::replace(&mut self.function, context);
        self.in_scope(scope, work);
        self.function = saved;
    }
    /// Default arguments of template parameters.
    fn check_defaults(&mut self, parameters: &[super::TemplateParameter<'a>]) {
        for parameter in parameters {
            if let Some(ast::TemplateParameterKind::NonType { parameter }) = parameter.syntax.map(|syntax| &syntax.kind)
                && let Some(default) = self.ast[*parameter].default
            {
                self.check_expression(default);
            }
        }
    }
    /// What stands behind a template's header.
    fn check_templated(&mut self, declaration: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        match &ast[declaration].kind {
            DeclarationKind::Function(function) => self.check_function_template(*function),
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => {
                if let Some(class) = self.defined_class(declaration) {
                    self.check_class(class);
                }
                for declarator in declarators {
                    // A template's variable with a qualified name is a member of a class template.
                    let name = ast[declarator.declarator].name;
                    let qualified = name.is_some_and(|name| !ast[name].qualifiers.is_empty());
                    self.check_memory_in_template(*specifiers, declarator.declarator, qualified);
                    self.check_declarator(declarator);
                }
            }
            _ => {}
        }
    }
    /// A name that may depend on parameters.
    fn declare_dependent(&mut self, name: Symbol, span: Span) {
        let parameter = UnboundParameter {
            depth: 0,
            index: 0,
            kind: UnboundKind::FunctionParameter,
            pack: false,
        };
        self.declare(name, Entity::Parameter(parameter), span);
    }
    /// Does something in a scope of names that may depend.
    fn in_dependent_scope(&mut self, work: impl FnOnce(&mut Self)) {
        let scope = self.scopes.add(ScopeKind::Template(None), Some(self.scope));
        self.in_scope(scope, work);
    }
    /// Elaborates something that depends on nothing: its errors are the unit's, but for what is only not supported.
    fn elaborate_apart(&mut self, work: impl FnOnce(&mut Self)) {
        let reports: Vec<Report> = self.isolated(work);
        for report in reports {
            let system = self.context.map.is_system(report.span.first);
            if report.severity == Severity::Error && !system && !report.message.contains("not supported") {
                self.emit(report);
            }
        }
    }
}
