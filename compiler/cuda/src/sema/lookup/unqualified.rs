//! From the inside outwards ([basic.lookup.unqual]), and into namespaces ([namespace.qual]).

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::member::Bases;
use super::{Hits, Wanted};
use crate::sema::scope::{Declared, ScopeId, ScopeKind};
use crate::sema::{Entity, Sema};
use crate::source::Symbol;

/// Namespaces whose names are seen as if they were members of others.
#[derive(Default)]
struct Nominated {
    /// `(nominated, as if in)`
    list: SmallVec<[(ScopeId, ScopeId); 4]>,
    known: FxHashSet<ScopeId>,
}

impl<'a> Sema<'a> {
    /// Searches the current scope and those around it, and stops at the first that has something that counts.
    pub(crate) fn search_outwards(&mut self, name: Symbol, wanted: Wanted) -> Hits {
        self.search_outwards_from(self.scope, name, wanted)
    }
    /// The same from another scope.
    ///
    /// What is written in a template does not see into bases that depend on its parameters, where they hide nothing. Only a name that nothing else declares is
    /// looked for there: that is an error for other compilers, or found by its arguments.
    pub(crate) fn search_outwards_from(&mut self, from: ScopeId, name: Symbol, wanted: Wanted) -> Hits {
        let hits = self.search_scopes(from, name, wanted, Bases::NotDependent);
        if hits.list.is_empty() && self.has_dependent_bases_around(from) {
            return self.search_scopes(from, name, wanted, Bases::All);
        }
        hits
    }
    fn has_dependent_bases_around(&self, from: ScopeId) -> bool {
        self.scopes.outwards(from).any(|scope| match self.scopes.kind(scope) {
            ScopeKind::Class(class) => self.classes[class.index()].bases.iter().any(|base| base.is_dependent),
            ScopeKind::Namespace { .. }
            | ScopeKind::Enum(_)
            | ScopeKind::Template(_)
            | ScopeKind::Function(_)
            | ScopeKind::Block
            | ScopeKind::PackExpansion => false,
        })
    }
    fn search_scopes(&mut self, from: ScopeId, name: Symbol, wanted: Wanted, bases: Bases) -> Hits {
        let mut nominated = Nominated::default();
        let mut limit = None;
        let mut next = Some(from);
        while let Some(scope) = next {
            next = self.scopes.get(scope).parent;
            limit = limit.or(self.scopes.get(scope).limit);
            match self.scopes.kind(scope) {
                ScopeKind::Namespace { .. } => {
                    self.add_nominated(scope, limit, &mut nominated);
                    let mut list = Vec::new();
                    self.collect_namespace(scope, name, wanted, limit, &mut list);
                    for &(namespace, place) in &nominated.list {
                        if place == scope {
                            self.collect_namespace(namespace, name, wanted, limit, &mut list);
                        }
                    }
                    if !list.is_empty() {
                        return Hits {
                            list,
                            ..Hits::default()
                        };
                    }
                }
                ScopeKind::Class(class) => {
                    let hits = self.search_bases(class, name, wanted, bases);
                    if !hits.list.is_empty() {
                        return hits;
                    }
                }
                ScopeKind::Enum(_)
                | ScopeKind::Template(_)
                | ScopeKind::Function(_)
                | ScopeKind::Block
                | ScopeKind::PackExpansion => {
                    self.add_nominated(scope, None, &mut nominated);
                    let mut list = Vec::new();
                    self.collect_own(scope, name, wanted, None, &mut list);
                    if !list.is_empty() {
                        // Functions declared in a block stop argument-dependent look-up, those of using declarations do not.
                        let local = list
                            .iter()
                            .any(|declared| matches!(declared.entity, Entity::Function(_)) && !declared.from_using);
                        return Hits {
                            list,
                            local,
                            ..Hits::default()
                        };
                    }
                }
            }
        }
        Hits::default()
    }
    /// Notes what using directives of a scope nominate, and those of the namespaces nominated.
    fn add_nominated(&self, scope: ScopeId, limit: Option<u32>, nominated: &mut Nominated) {
        // Nearly all scopes have none, and blocks may be nested deep.
        let own = self.scopes.get(scope);
        if own.using_directives.is_empty() && own.inline_children.is_empty() {
            return;
        }
        let mut work: SmallVec<[ScopeId; 4]> = SmallVec::new();
        work.push(scope);
        while let Some(directive_scope) = work.pop() {
            let mut children: SmallVec<[ScopeId; 4]> = self
                .scopes
                .get(directive_scope)
                .inline_children
                .clone()
                .into_iter()
                .collect();
            if directive_scope != scope {
                // Names of inline namespaces come with their namespace; only their directives are followed here.
                children.retain(|child| !self.scopes.get(*child).using_directives.is_empty());
            }
            for &(namespace, order) in &self.scopes.get(directive_scope).using_directives {
                if limit.is_some_and(|limit| order >= limit) {
                    continue;
                }
                if !nominated.known.insert(namespace) {
                    continue;
                }
                nominated
                    .list
                    .push((namespace, self.common_namespace(scope, namespace)));
                work.push(namespace);
            }
            work.extend(
                children
                    .into_iter()
                    .filter(|child| !self.scopes.get(*child).using_directives.is_empty()),
            );
        }
    }
    /// The innermost namespace around both.
    fn common_namespace(&self, one: ScopeId, other: ScopeId) -> ScopeId {
        let one = self.scopes.namespace_around(one);
        self.scopes
            .outwards(one)
            .find(|&id| self.scopes.is_within(other, id))
            .unwrap_or(ScopeId::GLOBAL)
    }
    /// A namespace's own names and those of its inline namespaces.
    fn collect_namespace(
        &self,
        scope: ScopeId,
        name: Symbol,
        wanted: Wanted,
        limit: Option<u32>,
        list: &mut Vec<Declared>,
    ) {
        self.collect_own(scope, name, wanted, limit, list);
        for &child in &self.scopes.get(scope).inline_children {
            self.collect_namespace(child, name, wanted, limit, list);
        }
    }
    /// A scope's own names.
    pub(super) fn collect_own(
        &self,
        scope: ScopeId,
        name: Symbol,
        wanted: Wanted,
        limit: Option<u32>,
        list: &mut Vec<Declared>,
    ) {
        let found = self.scopes.get(scope).get(name);
        let visible = found.iter().filter(|declared| {
            !declared.hidden
                && limit.is_none_or(|limit| declared.order < limit)
                && wanted.accepts(self, declared.entity)
        });
        let start = list.len();
        list.extend(visible.copied());
        // Anything else of the scope hides a class or an enumeration.
        if wanted == Wanted::Anything
            && list[start..]
                .iter()
                .any(|declared| !declared.entity.is_tag() && !declared.entity.is_type())
        {
            let mut index = start;
            while index < list.len() {
                if list[index].entity.is_tag() {
                    list.remove(index);
                } else {
                    index += 1;
                }
            }
        }
    }
    /// Searches in a namespace, class or enumeration that a qualifier names.
    pub(crate) fn search_qualified(&mut self, scope: ScopeId, name: Symbol, wanted: Wanted) -> Hits {
        match self.scopes.kind(scope) {
            ScopeKind::Class(class) => {
                self.complete_class(class);
                self.search_class(class, name, wanted)
            }
            ScopeKind::Namespace { .. } => {
                let mut list = Vec::new();
                let mut seen: SmallVec<[ScopeId; 4]> = SmallVec::new();
                self.collect_qualified(scope, name, wanted, &mut seen, &mut list);
                Hits {
                    list,
                    ..Hits::default()
                }
            }
            ScopeKind::Enum(_)
            | ScopeKind::Template(_)
            | ScopeKind::Function(_)
            | ScopeKind::Block
            | ScopeKind::PackExpansion => {
                let mut list = Vec::new();
                self.collect_own(scope, name, wanted, None, &mut list);
                Hits {
                    list,
                    ..Hits::default()
                }
            }
        }
    }
    /// A namespace's names; if it has none, those of the namespaces that its using directives nominate ([namespace.qual]/2).
    fn collect_qualified(
        &self,
        scope: ScopeId,
        name: Symbol,
        wanted: Wanted,
        seen: &mut SmallVec<[ScopeId; 4]>,
        list: &mut Vec<Declared>,
    ) {
        if seen.contains(&scope) {
            return;
        }
        seen.push(scope);
        self.collect_namespace(scope, name, wanted, None, list);
        if !list.is_empty() {
            return;
        }
        let mut places: SmallVec<[ScopeId; 4]> = SmallVec::new();
        places.push(scope);
        while let Some(place) = places.pop() {
            places.extend(self.scopes.get(place).inline_children.iter().copied());
            for &(namespace, _) in &self.scopes.get(place).using_directives {
                self.collect_qualified(namespace, name, wanted, seen, list);
            }
        }
    }
}
