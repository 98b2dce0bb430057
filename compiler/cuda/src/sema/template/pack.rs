//! Packs and their expansion ([temp.variadic]).

use super::walk::Walk;
use crate::sema::lookup::Wanted;
use crate::sema::scope::{Declared, ScopeKind};
use crate::sema::{Access, Entity, PackId, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast;

/// What is expanded.
#[derive(Clone, Copy, Debug)]
pub enum Pattern<'a> {
    /// An expression.
    Expression(ast::Id<ast::Expression>),
    /// A type.
    Type(ast::Id<ast::TypeId>),
    /// A template argument.
    Argument(&'a ast::TemplateArgument),
    /// A name.
    Name(ast::Id<ast::QualifiedName>),
    /// A parameter.
    Parameter(ast::Id<ast::Parameter>),
    /// An initialiser.
    Initializer(&'a ast::Initializer),
    /// A base or member initialiser.
    ConstructorInitializer(&'a ast::ConstructorInitializer),
    /// These packs.
    Names(&'a [Symbol]),
}

impl<'a> Sema<'a> {
    /// The packs that a pattern names, each once.
    pub(crate) fn packs_in(&mut self, pattern: Pattern<'_>) -> Vec<(Symbol, PackId)> {
        let mut names: Vec<Symbol> = Vec::new();
        let mut walk = Walk {
            ast: self.ast,
            mentions_this: false,
            through_expansions: false,
            visit: |name: Symbol| {
                if !names.contains(&name) {
                    names.push(name);
                }
            },
        };
        match pattern {
            Pattern::Expression(id) => walk.expression(id),
            Pattern::Type(id) => walk.type_id(id),
            Pattern::Argument(argument) => walk.argument(argument),
            Pattern::Name(id) => walk.name(id),
            Pattern::Parameter(id) => walk.parameter(id),
            Pattern::Initializer(initializer) => walk.initializer(initializer),
            Pattern::ConstructorInitializer(initializer) => {
                walk.name(initializer.name);
                walk.initializer(&initializer.initializer);
            }
            Pattern::Names(list) => names.extend_from_slice(list),
        }
        let mut packs = Vec::new();
        for name in names {
            let hits = self.search_outwards(name, Wanted::Anything);
            if let Some(Declared {
                entity: Entity::Pack(pack),
                ..
            }) = hits.list.first()
            {
                packs.push((name, *pack));
            }
        }
        packs
    }
    /// Expands a pattern: calls `element` once for each element, in a scope in which the packs' names stand for their elements. `None` after a message, if there is
    /// no pack in the pattern or their lengths differ.
    pub fn expand<T>(
        &mut self,
        pattern: Pattern<'_>,
        span: Span,
        mut element: impl FnMut(&mut Self) -> T,
    ) -> Option<Vec<T>> {
        let packs = self.packs_in(pattern);
        let Some(&(first, pack)) = packs.first() else {
            self.error(span, "there is no parameter pack to expand before `...`");
            return None;
        };
        let count = self.pack(pack).len();
        for &(name, other) in &packs[1..] {
            let length = self.pack(other).len();
            if length != count {
                let message = format!(
                    "the packs `{}` and `{}` have different lengths: {count} and {length}",
                    self.text(first),
                    self.text(name)
                );
                self.emit(Report::error(span, message));
                return None;
            }
        }
        let mut results = Vec::with_capacity(count);
        for index in 0..count {
            let scope = self.scopes.add(ScopeKind::PackExpansion, Some(self.scope));
            for &(name, pack) in &packs {
                let declared = Declared {
                    entity: self.pack(pack)[index],
                    order: 0,
                    span,
                    access: Access::Public,
                    hidden: false,
                    from_using: false,
                };
                self.scopes.declare(scope, name, declared);
            }
            results.push(self.in_scope(scope, &mut element));
        }
        Some(results)
    }
    /// How many elements the pack of this name has, for `sizeof...`. `None` after a message.
    pub fn pack_length(&mut self, name: Symbol, span: Span) -> Option<usize> {
        match self.pack_or_other(name) {
            Some(Entity::Pack(pack)) => Some(self.pack(pack).len()),
            Some(Entity::Error) => None,
            Some(_) => {
                let message = format!("`{}` is no parameter pack", self.text(name));
                self.error(span, message);
                None
            }
            None => {
                let message = format!("`{}` is not declared", self.text(name));
                self.error(span, message);
                None
            }
        }
    }
    /// What a name after `sizeof...` means: where the pack is being expanded (`sizeof...(I) + I...`), the pack, not the element that the name stands for there.
    fn pack_or_other(&mut self, name: Symbol) -> Option<Entity> {
        let mut from = self.scope;
        loop {
            let hits = self.search_outwards_from(from, name, Wanted::Anything);
            let entity = hits.list.first().map(|declared| declared.entity);
            if matches!(entity, Some(Entity::Pack(_)) | None) {
                return entity;
            }
            let expansion = self.scopes.outwards(from).find(|&scope| {
                self.scopes.kind(scope) == ScopeKind::PackExpansion && !self.scopes.get(scope).get(name).is_empty()
            });
            let Some(outer) = expansion.and_then(|scope| self.scopes.get(scope).parent) else {
                return entity;
            };
            from = outer;
        }
    }
    /// A new pack of these elements.
    pub(crate) fn add_pack(&mut self, elements: Vec<Entity>) -> PackId {
        self.packs.push(elements);
        PackId(self.packs.len() as u32 - 1)
    }
}
