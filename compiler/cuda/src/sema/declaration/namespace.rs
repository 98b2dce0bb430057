//! Namespaces, using declarations and directives ([basic.namespace], [namespace.udecl]).

use crate::hir::{self, QualifiedType};
use crate::sema::entity::{Callable, Candidate};
use crate::sema::lookup::{Hits, Qualification, Wanted};
use crate::sema::scope::{Declared, ScopeId, ScopeKind};
use crate::sema::{Entity, Found, Sema};
use crate::source::{Report, Span, Symbol, names};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// `namespace N { … }`.
    pub(super) fn namespace(
        &mut self,
        inline: bool,
        name: Option<Symbol>,
        declarations: &'a [ast::Id<ast::Declaration>],
        span: Span,
    ) {
        if !matches!(self.scopes.kind(self.scope), ScopeKind::Namespace { .. }) {
            self.error(span, "a namespace can only be defined in a namespace");
            return;
        }
        let key = name.unwrap_or(names::EMPTY);
        let mut known = None;
        for declared in self.scopes.get(self.scope).get(key) {
            match declared.entity {
                Entity::Namespace(scope) => known = Some(scope),
                Entity::Error => return,
                _ => {
                    let message = format!("`{}` is declared already, and no namespace", self.text(key));
                    let declared = declared.span;
                    self.emit(Report::error(Span::of(span.first), message).note_at(declared, "declared here"));
                    return;
                }
            }
        }
        let scope = match known {
            Some(scope) => scope,
            None => self.add_namespace(inline, name, key, span),
        };
        let saved = std::mem::take(&mut self.linkage_extern);
        self.in_scope(scope, |sema| sema.declare_all(declarations));
        self.linkage_extern = saved;
    }
    fn add_namespace(&mut self, inline: bool, name: Option<Symbol>, key: Symbol, span: Span) -> ScopeId {
        let parent = match self.hir_scope(self.scope) {
            hir::Scope::Namespace(parent) => parent,
            hir::Scope::Class(_) | hir::Scope::Function(_) => hir::Program::GLOBAL,
        };
        let namespace = self.program.add_namespace(hir::Namespace {
            name: name.map(|name| self.shared(name)),
            parent: Some(parent),
            inline,
        });
        let kind = ScopeKind::Namespace {
            namespace: Some(namespace),
            inline,
        };
        let scope = self.scopes.add(kind, Some(self.scope));
        self.declare_member(key, Entity::Namespace(scope), Span::of(span.first));
        // The members of an unnamed namespace are seen in the namespace around, as by a using directive.
        if inline || name.is_none() {
            self.scopes.get_mut(self.scope).inline_children.push(scope);
        }
        scope
    }
    /// `namespace A = B;`.
    pub(super) fn namespace_alias(&mut self, name: Symbol, target: ast::Id<ast::QualifiedName>, span: Span) {
        let Some(scope) = self.named_namespace(target) else {
            return;
        };
        if let Some(declared) = self.scopes.get(self.scope).get(name).to_vec().into_iter().next() {
            if declared.entity == Entity::Namespace(scope) {
                return;
            }
            let message = format!("`{}` is declared already, as something else", self.text(name));
            self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
            return;
        }
        self.declare_member(name, Entity::Namespace(scope), span);
    }
    fn named_namespace(&mut self, name: ast::Id<ast::QualifiedName>) -> Option<ScopeId> {
        let lookup = self.lookup_wanted(name, Wanted::Namespace);
        match lookup.found {
            Found::Namespace(scope) => Some(scope),
            Found::Error => None,
            _ => {
                self.report_undeclared(name, "namespace");
                None
            }
        }
    }
    /// `using namespace N;`.
    pub(in crate::sema) fn using_directive(&mut self, namespace: ast::Id<ast::QualifiedName>) {
        let Some(scope) = self.named_namespace(namespace) else {
            return;
        };
        let order = self.clock;
        self.clock += 1;
        let directives = &mut self.scopes.get_mut(self.scope).using_directives;
        if !directives.iter().any(|&(known, _)| known == scope) {
            directives.push((scope, order));
        }
    }
    /// `using A::b;`, also in classes.
    pub(crate) fn using_declaration(&mut self, list: &'a [(bool, ast::Id<ast::QualifiedName>, bool)]) {
        for &(_, name, pack) in list {
            if pack {
                let span = self.ast[name].span;
                let pattern = crate::sema::template::pack::Pattern::Name(name);
                // The names are declared in the scope around the expansion.
                let target = self.scope;
                self.expand(pattern, span, |sema| sema.using_name(name, target));
            } else {
                self.using_name(name, self.scope);
            }
        }
    }
    fn using_name(&mut self, id: ast::Id<ast::QualifiedName>, target: ScopeId) {
        let ast = self.ast;
        let node = &ast[id];
        let Some(Qualification::Scope(scope)) = self.resolve_qualifiers(node.global, &node.qualifiers) else {
            if node.is_unqualified() {
                self.error(
                    node.span,
                    "a using declaration names a member of a namespace, class or enumeration",
                );
            }
            return;
        };
        if let (ScopeKind::Class(base), ScopeKind::Class(class)) = (self.scopes.kind(scope), self.scopes.kind(target)) {
            if self.names_constructors(node, base) {
                self.inherit_constructors(class, base, node.span);
                return;
            }
            if let ast::UnqualifiedName::Conversion(type_id) = node.last {
                let to = self.type_of_type_id(type_id);
                self.using_conversion(class, base, to);
                return;
            }
        }
        let Some((symbol, _)) = self.name_parts(&node.last) else {
            self.error(node.span, "a destructor cannot be named by a using declaration");
            return;
        };
        let hits = self.search_qualified(scope, symbol, Wanted::Anything);
        if hits.list.is_empty() {
            self.report_undeclared(id, "name");
            return;
        }
        self.bring_in(hits, symbol, node.last_span, target);
    }
    /// Whether a using declaration names a base's constructors ([namespace.udecl]/5): `B::B`, or `T::T` of the last qualifier.
    fn names_constructors(&self, node: &ast::QualifiedName, base: hir::ClassId) -> bool {
        let ast::UnqualifiedName::Identifier(last) = node.last else {
            return false;
        };
        let qualifier = node.qualifiers.last().map(|qualifier| &qualifier.part);
        let same_word = match qualifier {
            Some(ast::QualifierPart::Name(name) | ast::QualifierPart::Template { name, .. }) => *name == last,
            Some(ast::QualifierPart::Decltype(_)) | None => false,
        };
        same_word || self.classes[base.index()].name == Some(last)
    }
    fn using_conversion(&mut self, class: hir::ClassId, base: hir::ClassId, to: QualifiedType) {
        let all = self.conversion_functions(base);
        let access = self.access;
        for candidate in all {
            if let Callable::Function(function) = candidate.callable
                && self.program.function(function).name == hir::FunctionName::Conversion(to)
            {
                let candidate = Candidate {
                    access,
                    naming: Some(class),
                    through_using: Some(class),
                    ..candidate
                };
                self.classes[class.index()].conversions.push(candidate);
            }
        }
    }
    /// Declares what was found in another scope.
    fn bring_in(&mut self, hits: Hits, name: Symbol, span: Span, target: ScopeId) {
        let access = match self.scopes.kind(target) {
            ScopeKind::Class(_) => self.access,
            _ => crate::sema::Access::Public,
        };
        let order = self.clock;
        self.clock += 1;
        let as_function = |entity: Entity| match entity {
            Entity::Function(function) => Some(function),
            _ => None,
        };
        let own: Vec<hir::FunctionId> = hits
            .list
            .iter()
            .filter(|declared| !declared.from_using)
            .filter_map(|declared| as_function(declared.entity))
            .collect();
        for declared in hits.list {
            // What the named class has from a base, and hides by a member of its own, is not there to be named.
            if declared.from_using
                && let Some(brought) = as_function(declared.entity)
                && own.iter().any(|&own| self.same_parameters(own, brought))
            {
                continue;
            }
            let existing = self.scopes.get(target).get(name);
            if existing.iter().any(|known| known.entity == declared.entity) {
                continue;
            }
            let is_function = |entity: Entity| matches!(entity, Entity::Function(_) | Entity::Template(_));
            let clash = existing.iter().find(|known| {
                !is_function(known.entity)
                    && !known.entity.is_tag()
                    && !declared.entity.is_tag()
                    && known.entity != Entity::Error
            });
            if let Some(clash) = clash.copied() {
                let same = self.entity_type(clash.entity).is_some()
                    && self.entity_type(clash.entity) == self.entity_type(declared.entity);
                if !same {
                    let message = format!("`{}` is declared already, as something else", self.text(name));
                    self.emit(Report::error(span, message).note_at(clash.span, "declared here"));
                }
                continue;
            }
            let brought = Declared {
                entity: declared.entity,
                order,
                span: declared.span,
                access,
                hidden: false,
                from_using: true,
            };
            self.scopes.declare(target, name, brought);
        }
    }
    /// `using enum E;`.
    pub(crate) fn using_enum(&mut self, name: ast::Id<ast::QualifiedName>) {
        let lookup = self.lookup_wanted(name, Wanted::Type);
        let span = self.ast[name].span;
        let Found::Type(ty) = lookup.found else {
            if matches!(lookup.found, Found::Nothing) {
                self.report_undeclared(name, "enumeration");
            }
            return;
        };
        let Some(enumeration) = self.program.types.as_enum(ty.id) else {
            self.error(span, "`using enum` names an enumeration");
            return;
        };
        let scope = self.enum_scopes[enumeration.index()];
        for index in 0..self.program.enumeration(enumeration).enumerators.len() {
            let text = self.program.enumeration(enumeration).enumerators[index].name.clone();
            let symbol = self.context.interner.intern(&text);
            let list = self.scopes.get(scope).get(symbol).to_vec();
            let target = self.scope;
            self.bring_in(
                Hits {
                    list,
                    ..Hits::default()
                },
                symbol,
                span,
                target,
            );
        }
    }
}
