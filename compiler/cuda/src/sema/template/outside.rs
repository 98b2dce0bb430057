//! Members of class templates that are defined outside of them ([temp.mem]).

use std::rc::Rc;

use super::{OutsideMember, TemplateId, TemplateParameter};
use crate::sema::entity::Definition;
use crate::sema::lookup::{Qualification, Wanted};
use crate::sema::scope::ScopeKind;
use crate::sema::{Entity, ScopeId, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, QualifierPart};

/// Where a qualified name of a member of a class template leads.
pub(super) struct Outside {
    pub(super) template: TemplateId,
    partial: Option<usize>,
    path: Vec<Symbol>,
}

impl<'a> Sema<'a> {
    /// Whether a qualified name is of a member of a class template: a qualifier has template arguments.
    pub(super) fn names_outside_member(&self, name: &ast::QualifiedName) -> bool {
        name.qualifiers
            .iter()
            .any(|qualifier| matches!(qualifier.part, QualifierPart::Template { .. }))
    }
    /// Remembers the definition of a class template's member.
    pub(super) fn outside_member(
        &mut self,
        headers: Vec<Rc<[TemplateParameter<'a>]>>,
        name: ast::Id<ast::QualifiedName>,
        declaration: ast::Id<ast::Declaration>,
    ) {
        let ast = self.ast;
        let node = &ast[name];
        if !self.names_outside_member(node) {
            // A member template of a class that is no template, with two headers: one of them is for nothing.
            let Some(own) = headers.last().map(|own| own.to_vec()) else {
                return;
            };
            let Some(Qualification::Scope(scope)) = self.resolve_declared(node) else {
                return;
            };
            let _ = (own, scope);
            self.error(node.span, "there are too many template headers");
            return;
        }
        let Some(outside) = self.resolve_outside(&headers[0], node) else {
            return;
        };
        let symbol = match self.name_parts(&node.last) {
            Some((symbol, _)) => symbol,
            // A destructor goes by the name of its class.
            None => crate::source::names::EMPTY,
        };
        self.clock += 1;
        let member = OutsideMember {
            headers,
            path: outside.path,
            name: symbol,
            declaration,
            scope: self.scope,
            requires: self.requires_clause,
            order: self.clock,
        };
        let template = &mut self.templates[outside.template.0 as usize];
        match outside.partial {
            Some(index) => template.partials[index].outside_members.push(member),
            None => template.outside_members.push(member),
        }
    }
    /// The class template that the qualifiers of a member's name lead to.
    pub(super) fn resolve_outside(
        &mut self,
        header: &Rc<[TemplateParameter<'a>]>,
        node: &'a ast::QualifiedName,
    ) -> Option<Outside> {
        let mut scope = match node.global {
            true => Some(ScopeId::GLOBAL),
            false => None,
        };
        let mut found: Option<Outside> = None;
        for qualifier in &node.qualifiers {
            if let Some(outside) = &mut found {
                match &qualifier.part {
                    QualifierPart::Name(name) | QualifierPart::Template { name, .. } => outside.path.push(*name),
                    QualifierPart::Decltype(_) => return None,
                }
                continue;
            }
            let (name, arguments) = match &qualifier.part {
                QualifierPart::Name(name) => (*name, None),
                QualifierPart::Template { name, arguments } => (*name, Some(&**arguments)),
                QualifierPart::Decltype(_) => return None,
            };
            let hits = match scope {
                Some(scope) => self.search_qualified(scope, name, Wanted::Qualifier),
                None => self.search_outwards(name, Wanted::Qualifier),
            };
            let entity = hits.list.first().map(|declared| declared.entity);
            match (entity, arguments) {
                (Some(Entity::Template(template)), Some(arguments)) => {
                    let partial = self.partial_named(template, header, arguments);
                    found = Some(Outside {
                        template,
                        partial,
                        path: Vec::new(),
                    });
                }
                (Some(Entity::Namespace(inner)), None) => scope = Some(inner),
                (Some(Entity::Class(class)), None) => scope = Some(self.classes[class.index()].scope),
                _ => {
                    let message = format!(
                        "`{}` is no class template whose member could be defined here",
                        self.text(name)
                    );
                    self.error(qualifier.span, message);
                    return None;
                }
            }
        }
        found
    }
    /// The partial specialisation whose arguments these are.
    pub(super) fn partial_named(
        &mut self,
        template: TemplateId,
        header: &Rc<[TemplateParameter<'a>]>,
        arguments: &'a [ast::TemplateArgument],
    ) -> Option<usize> {
        if self.template(template).partials.is_empty() {
            return None;
        }
        let scope = self.unbound_scope(header, self.scope, 0);
        let pattern = self.in_scope(scope, |sema| sema.argument_patterns(arguments, Some(template)));
        let pattern = self.with_default_patterns(template, pattern);
        self.template(template)
            .partials
            .iter()
            .position(|partial| *partial.pattern == *pattern)
    }
    /// Member class templates of class templates are defined, and specialised in part, outside of them, too: a template of an instance takes what there is.
    pub(super) fn take_outside_definitions(&mut self, template: TemplateId) {
        let node = self.template(template);
        let (Some(class), symbol) = (node.class, node.name) else {
            return;
        };
        let Some((holder, path)) = self.instance_around(class) else {
            return;
        };
        for member in self.outside_members_of(holder) {
            let taken = self.template(template).taken.contains(&member.declaration);
            let is_class = self.defined_class(member.declaration).is_some();
            if taken || !is_class || member.path != path || member.name != symbol || member.headers.len() != 2 {
                continue;
            }
            let Some(name) = self.declared_name(member.declaration) else {
                continue;
            };
            self.templates[template.0 as usize].taken.push(member.declaration);
            let arguments = self.header_arguments(holder);
            let class_scope = self.classes[class.index()].scope;
            let scope = self.binding_scope(None, class_scope, Some(member.order));
            self.bind_parameters(scope, &member.headers[0], &arguments);
            let own = member.headers[1].clone();
            let ast = self.ast;
            if let ast::UnqualifiedName::Template { arguments, .. } = &ast[name].last {
                let span = ast[name].span;
                self.in_scope(scope, |sema| {
                    sema.add_partial(template, own.to_vec(), arguments, member.declaration, span)
                });
                let partials = self.templates[template.0 as usize].partials.iter_mut();
                for partial in partials.filter(|partial| partial.declaration == member.declaration) {
                    partial.scope = Some(scope);
                    partial.order = member.order;
                }
            } else if self.template(template).definition.is_none() {
                let node = &mut self.templates[template.0 as usize];
                node.definition = Some((member.declaration, own, scope));
                node.body_order = member.order + 1;
            }
        }
    }
    /// Whether the qualifiers of a name, in which template parameters could stand, lead to a class that is specialised explicitly: its members are none of the
    /// class template's.
    pub(super) fn names_specialised_class(
        &mut self,
        own: &[TemplateParameter<'a>],
        node: &'a ast::QualifiedName,
    ) -> bool {
        let parameters: Rc<[TemplateParameter<'a>]> = own.to_vec().into();
        let scope = self.unbound_scope(&parameters, self.scope, 0);
        let dependent = node.qualifiers.iter().any(|qualifier| {
            let QualifierPart::Template { arguments, .. } = &qualifier.part else {
                return false;
            };
            let patterns = self.trying(|sema| sema.in_scope(scope, |sema| sema.argument_patterns(arguments, None)));
            let mut any = false;
            match patterns {
                Ok(patterns) => {
                    super::substitute::visit_arguments(&patterns, &mut |_| any = true);
                    any || patterns.iter().any(super::substitute::has_opaque)
                }
                Err(_) => true,
            }
        });
        if dependent {
            return false;
        }
        let found = self.trying(|sema| sema.resolve_qualifiers(node.global, &node.qualifiers));
        let Ok(Some(Qualification::Scope(scope))) = found else {
            return false;
        };
        let ScopeKind::Class(class) = self.scopes.kind(scope) else {
            return false;
        };
        let instance = &self.classes[class.index()].instance;
        instance.as_ref().is_some_and(|instance| instance.explicit)
    }
    /// A member template of an instance of a class template gets a definition of its own, which stands in place of the one that its class template gives it.
    pub(super) fn specialise_member_template(&mut self, known: TemplateId, new: TemplateId, span: Span) {
        let definition = self.template(new).definition.clone();
        let earlier = self.template(known);
        if earlier.specialised && earlier.definition.is_some() && definition.is_some() {
            let declared = earlier.span;
            let message = format!("`{}` is defined already", self.text(earlier.name));
            self.emit(Report::error(span, message).note_at(declared, "defined here"));
            return;
        }
        let mut instances: Vec<crate::hir::FunctionId> = earlier
            .instances
            .values()
            .filter_map(|entity| match entity {
                Entity::Function(function) => Some(*function),
                _ => None,
            })
            .collect();
        instances.sort_unstable_by_key(|function| function.index());
        instances.retain(|function| !self.functions[function.index()].explicitly_specialised);
        for function in instances {
            if matches!(
                self.functions[function.index()].definition,
                Definition::Done | Definition::InProgress | Definition::Failed
            ) {
                let message = format!("`{}` is specialised after it was used", self.show_function(function));
                self.error(span, message);
                return;
            }
            self.functions[function.index()].definition = Definition::None;
            self.functions[function.index()].body_scope = None;
        }
        self.clock += 1;
        let now = self.clock;
        let entry = &mut self.templates[known.0 as usize];
        entry.specialised = true;
        entry.definition = definition;
        entry.body_order = now;
        entry.span = span;
    }
}
