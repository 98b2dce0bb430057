//! What tells function templates of one name apart ([temp.over.link]): header, signature and constraints as patterns, interned, so that an overload set is a table
//! by identity and a declaration finds the template that it declares again in one look.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{FunctionPattern, TemplateId, TemplateParameter, UnboundKind, UnboundParameter};
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::sema::scope::ScopeKind;
use crate::sema::{Entity, ScopeId, Sema};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

/// An interned [`TemplateIdentity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IdentityId(u32);

/// All identities, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities {
    known: FxHashMap<TemplateIdentity, IdentityId>,
}

impl Identities {
    fn intern(&mut self, identity: TemplateIdentity) -> IdentityId {
        let next = IdentityId(self.known.len() as u32);
        *self.known.entry(identity).or_insert(next)
    }
}

/// The function templates of one scope and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverloadSet {
    /// The only one so far: its identity is not worked out before there is another.
    single: Option<TemplateId>,
    known: FxHashMap<IdentityId, TemplateId>,
}

/// What two declarations of one function template have in common, and two function templates have not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TemplateIdentity {
    header: Vec<HeaderPattern>,
    parameters: Vec<TypePattern>,
    result: TypePattern,
    variadic: bool,
    qualifiers: ast::Qualifiers,
    reference: ast::ReferenceQualifier,
    constraints: Vec<ExpressionPattern>,
}

/// A parameter of a template header.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum HeaderPattern {
    /// A type.
    Type { pack: bool },
    /// A value of a type.
    Value { ty: TypePattern, pack: bool },
    /// A template.
    Template { header: Vec<HeaderPattern>, pack: bool },
}

impl<'a> Sema<'a> {
    /// The function template of a scope that a new one declares again.
    pub(super) fn template_declared_again(
        &mut self,
        scope: ScopeId,
        name: Symbol,
        new: TemplateId,
        with_inline: bool,
    ) -> Option<TemplateId> {
        if let Some(known) = self.same_in_set(scope, name, new) {
            return Some(known);
        }
        if !with_inline {
            return None;
        }
        let children = self.scopes.get(scope).inline_children.clone();
        children
            .into_iter()
            .find_map(|child| self.same_in_set(child, name, new))
    }
    fn same_in_set(&mut self, scope: ScopeId, name: Symbol, new: TemplateId) -> Option<TemplateId> {
        let single = self.overload_sets.get(&(scope, name))?.single;
        if let Some(single) = single {
            let identity = self.identity_of(single);
            let set = self.overload_sets.get_mut(&(scope, name))?;
            set.single = None;
            set.known.insert(identity, single);
        }
        let identity = self.identity_of(new);
        self.overload_sets.get(&(scope, name))?.known.get(&identity).copied()
    }
    /// Whether a scope has function templates of a name.
    pub(super) fn has_function_templates(&self, scope: ScopeId, name: Symbol) -> bool {
        self.overload_sets.contains_key(&(scope, name))
    }
    /// Notes a function template that a scope has from now on.
    pub(super) fn note_function_template(&mut self, scope: ScopeId, name: Symbol, template: TemplateId) {
        match self.overload_sets.get(&(scope, name)) {
            None => {
                let set = self.overload_sets.entry((scope, name)).or_default();
                set.single = Some(template);
            }
            Some(_) => {
                let identity = self.identity_of(template);
                if let Some(set) = self.overload_sets.get_mut(&(scope, name)) {
                    set.known.entry(identity).or_insert(template);
                }
            }
        }
    }
    /// Whether the scope of a function template has another of its name.
    pub(super) fn is_overloaded(&self, template: TemplateId) -> bool {
        let node = self.template(template);
        let set = self.overload_sets.get(&(node.scope, node.name));
        set.is_some_and(|set| set.single.is_none())
    }
    fn identity_of(&mut self, template: TemplateId) -> IdentityId {
        if let Some(identity) = self.template(template).identity {
            return identity;
        }
        let signature = self.signature_of(template);
        let node = self.template(template);
        let (parameters, requires, parent) = (node.parameters.clone(), node.requires, node.scope);
        let declarator = match node.lambda {
            Some((_, function)) => Some(function),
            None => self
                .function_syntax(node.declaration)
                .and_then(|(_, declarator, _)| self.ast[declarator].function()),
        };
        let identity = self.outside_of_functions(|sema| {
            let scope = sema.unbound_scope(&parameters, parent, 0);
            sema.identity_from(&parameters, requires, scope, declarator, &signature)
        });
        let identity = self.identities.intern(identity);
        self.templates[template.0 as usize].identity = Some(identity);
        identity
    }
    /// Whether the definition of a member template outside of its class template is of this template of an instance: read in a scope in which the outer headers
    /// are bound.
    pub(super) fn is_identity_of(
        &mut self,
        template: TemplateId,
        own: &Rc<[TemplateParameter<'a>]>,
        requires: Option<ast::Id<ast::Expression>>,
        parent: ScopeId,
        (specifiers, declarator): (ast::Id<ast::Specifiers>, ast::Id<ast::Declarator>),
    ) -> bool {
        let Some(function) = self.ast[declarator].function() else {
            return false;
        };
        let wanted = self.identity_of(template);
        let own = self.with_invented_parameters(own.to_vec(), &self.ast[declarator]);
        let identity = self.outside_of_functions(|sema| {
            let scope = sema.unbound_scope(&own, parent, 0);
            let signature = sema.in_scope(scope, |sema| sema.declared_signature(specifiers, declarator, function));
            sema.identity_from(&own, requires, scope, Some(function), &signature)
        });
        self.identities.intern(identity) == wanted
    }
    fn identity_from(
        &mut self,
        parameters: &[TemplateParameter<'a>],
        requires: Option<ast::Id<ast::Expression>>,
        scope: ScopeId,
        function: Option<&'a ast::FunctionDeclarator>,
        signature: &FunctionPattern,
    ) -> TemplateIdentity {
        self.in_scope(scope, |sema| {
            let header = parameters
                .iter()
                .map(|parameter| sema.header_pattern(parameter.syntax, parameter.pack, 0))
                .collect();
            let mut constraints = sema.constraint_patterns(parameters, requires);
            if let Some(function) = function
                && let Some(trailing) = function.requires
            {
                let (_, inner) = sema.prototype(function);
                constraints.push(sema.in_scope(inner, |sema| sema.condition_pattern(trailing)));
            }
            TemplateIdentity {
                header,
                parameters: signature.parameters.clone(),
                result: signature.result.clone(),
                variadic: signature.variadic,
                qualifiers: function.map_or(ast::Qualifiers::NONE, |function| function.qualifiers),
                reference: function.map_or(ast::ReferenceQualifier::None, |function| function.reference),
                constraints,
            }
        })
    }
    /// The constraints of template parameters, which are not bound in the current scope, and of the requires-clause behind them.
    pub(super) fn constraint_patterns(
        &mut self,
        parameters: &[TemplateParameter<'a>],
        requires: Option<ast::Id<ast::Expression>>,
    ) -> Vec<ExpressionPattern> {
        let saved = std::mem::replace(&mut self.as_written, true);
        let mut all = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let Some(constraint) = parameter.constraint else {
                continue;
            };
            let first = TypePattern::Parameter {
                depth: 0,
                index: index as u32,
            };
            let first = match parameter.pack {
                true => TypePattern::Expansion(Box::new(first)),
                false => first,
            };
            all.push(self.constraint_structure(constraint, Some(ArgumentPattern::Type(first))));
        }
        all.extend(requires.map(|requires| ExpressionPattern::List(vec![self.structure(requires)])));
        self.as_written = saved;
        all
    }
    /// A trailing requires-clause, as written.
    pub(crate) fn condition_pattern(&mut self, condition: ast::Id<ast::Expression>) -> ExpressionPattern {
        let saved = std::mem::replace(&mut self.as_written, true);
        let pattern = self.structure(condition);
        self.as_written = saved;
        pattern
    }
    fn header_pattern(
        &mut self,
        syntax: Option<&'a ast::TemplateParameter>,
        pack: bool,
        nesting: u32,
    ) -> HeaderPattern {
        let ast = self.ast;
        match syntax.map(|syntax| &syntax.kind) {
            None | Some(ast::TemplateParameterKind::Type { .. }) => HeaderPattern::Type { pack },
            Some(ast::TemplateParameterKind::NonType { parameter }) => {
                let node = &ast[*parameter];
                let ty = self.declared_pattern(node.specifiers, node.declarator);
                let ty = self.adjusted(ty);
                HeaderPattern::Value { ty, pack }
            }
            Some(ast::TemplateParameterKind::Template { parameters, .. }) => {
                let scope = self.scopes.add(ScopeKind::Template(None), Some(self.scope));
                let header = self.in_scope(scope, |sema| {
                    let mut header = Vec::with_capacity(parameters.len());
                    for (index, &id) in parameters.iter().enumerate() {
                        let inner = &ast[id];
                        header.push(sema.header_pattern(Some(inner), inner.pack, nesting + 1));
                        if let Some(name) = inner.name {
                            let unbound = UnboundParameter {
                                // Apart from all levels of templates around.
                                depth: u32::MAX - nesting,
                                index: index as u32,
                                kind: UnboundKind::of_kind(Some(&inner.kind)),
                                pack: inner.pack,
                            };
                            sema.declare(name, Entity::Parameter(unbound), Span::NONE);
                        }
                    }
                    header
                });
                HeaderPattern::Template { header, pack }
            }
        }
    }
}
