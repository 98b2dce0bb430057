//! The kinds of names in their scopes: as much of look-up as the grammar needs (\[basic.lookup\]).

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::source::Symbol;
use crate::syntax::ast::NameKind;

/// A scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Namespace,
    Class,
    Enum,
    TemplateParameters,
    Parameters,
    Block,
}

#[derive(Debug)]
struct Scope {
    kind: ScopeKind,
    /// Scopes whose names are found here too: bases, inline namespaces, specialisations of a class template.
    transparent: SmallVec<[ScopeId; 2]>,
    /// Namespaces of using-directives, each with the innermost namespace around that one and this: there its names appear (\[namespace.udir\]/2).
    directives: SmallVec<[(ScopeId, ScopeId); 1]>,
    /// The namespace around a namespace.
    parent: ScopeId,
    /// Whether names may come from a base or a namespace that is not known, a dependent one mostly.
    is_open: bool,
    /// Whether nothing has been declared in it, nor any other scope's names been made visible.
    is_bare: bool,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) kind: NameKind,
    /// The scope of the class, enumeration or namespace, if it is known.
    pub(super) scope: Option<ScopeId>,
    /// A class or enumeration of this name hidden by a function or variable of the same scope (\[basic.scope.hiding\]/2).
    tag: Option<(NameKind, Option<ScopeId>)>,
}

impl Entry {
    pub(super) fn new(kind: NameKind, scope: Option<ScopeId>) -> Entry {
        Entry { kind, scope, tag: None }
    }

    /// The entry as seen before `::` and after `struct`: values are not looked at.
    fn as_type_or_namespace(self) -> Option<Entry> {
        match self.kind {
            NameKind::Type | NameKind::TypeTemplate | NameKind::Namespace => Some(self),
            NameKind::Unknown
            | NameKind::FunctionTemplate
            | NameKind::VariableTemplate
            | NameKind::Concept
            | NameKind::Value => self.tag.map(|(kind, scope)| Entry::new(kind, scope)),
        }
    }
}

/// Which entries a look-up wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Any,
    TypeOrNamespace,
}

/// Scopes in the order in which they came, each once.
#[derive(Default)]
struct Seen {
    list: SmallVec<[ScopeId; 16]>,
    /// The same, once there are too many to go through: a class may have a thousand bases, one over the other.
    set: FxHashSet<ScopeId>,
}

impl Seen {
    /// Whether the scope is new.
    fn insert(&mut self, scope: ScopeId) -> bool {
        if self.list.len() < self.list.inline_size() {
            if self.list.contains(&scope) {
                return false;
            }
        } else {
            if self.set.is_empty() {
                self.set.extend(self.list.iter().copied());
            }
            if !self.set.insert(scope) {
                return false;
            }
        }
        self.list.push(scope);
        true
    }
}

/// All scopes, and the stack of those that are open.
#[derive(Debug)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    entries: FxHashMap<(ScopeId, Symbol), Entry>,
    stack: Vec<ScopeId>,
}

/// The scope of the translation unit.
pub(super) const GLOBAL: ScopeId = ScopeId(0);

impl Scopes {
    pub(super) fn new() -> Scopes {
        let mut scopes = Scopes {
            scopes: Vec::new(),
            entries: FxHashMap::default(),
            stack: Vec::new(),
        };
        let global = scopes.create(ScopeKind::Namespace);
        scopes.push(global);
        scopes
    }

    pub(super) fn create(&mut self, kind: ScopeKind) -> ScopeId {
        let id = ScopeId(self.scopes.len() as u32);
        let transparent = SmallVec::new();
        let is_open = false;
        let directives = SmallVec::new();
        let parent = GLOBAL;
        self.scopes.push(Scope {
            kind,
            transparent,
            directives,
            parent,
            is_open,
            is_bare: true,
        });
        id
    }

    pub(super) fn push(&mut self, scope: ScopeId) {
        self.stack.push(scope);
    }

    /// Opens a new scope.
    pub(super) fn enter(&mut self, kind: ScopeKind) -> ScopeId {
        let id = self.create(kind);
        self.push(id);
        id
    }

    /// How many scopes are open, for [`Scopes::truncate`].
    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Closes scopes until as many are open as before.
    pub(super) fn truncate(&mut self, depth: usize) {
        self.stack.truncate(depth.max(1));
    }

    pub(super) fn snapshot(&self) -> Vec<ScopeId> {
        self.stack.clone()
    }

    /// Puts another stack in place and gives the old one.
    pub(super) fn replace(&mut self, stack: Vec<ScopeId>) -> Vec<ScopeId> {
        std::mem::replace(&mut self.stack, stack)
    }

    /// The scope that declarations go into: the innermost that is not one of template parameters.
    pub(super) fn current(&self) -> ScopeId {
        let of_declarations = |scope: &&ScopeId| self.kind(**scope) != ScopeKind::TemplateParameters;
        self.stack.iter().rev().find(of_declarations).copied().unwrap_or(GLOBAL)
    }

    /// The innermost open scope of any kind.
    pub(super) fn innermost(&self) -> ScopeId {
        self.stack.last().copied().unwrap_or(GLOBAL)
    }

    /// The innermost namespace: where friends are declared.
    pub(super) fn namespace(&self) -> ScopeId {
        let is_namespace = |scope: &&ScopeId| self.kind(**scope) == ScopeKind::Namespace;
        self.stack.iter().rev().find(is_namespace).copied().unwrap_or(GLOBAL)
    }

    pub(super) fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.scopes[scope.0 as usize].kind
    }

    /// From now on the names of `other` are found in `scope`.
    pub(super) fn add_transparent(&mut self, scope: ScopeId, other: ScopeId) {
        let list = &mut self.scopes[scope.0 as usize].transparent;
        if scope != other && !list.contains(&other) {
            list.push(other);
        }
        self.scopes[scope.0 as usize].is_bare = false;
    }

    /// Whether look-up finds nothing in a scope.
    pub(super) fn is_bare(&self, scope: ScopeId) -> bool {
        self.scopes[scope.0 as usize].is_bare
    }

    pub(super) fn declare(&mut self, scope: ScopeId, name: Symbol, new: Entry) {
        self.scopes[scope.0 as usize].is_bare = false;
        let Some(old) = self.entries.get_mut(&(scope, name)) else {
            self.entries.insert((scope, name), new);
            return;
        };
        let is_type = |kind| matches!(kind, NameKind::Type | NameKind::TypeTemplate);
        match (old.kind, new.kind) {
            (_, NameKind::Unknown) => {}
            (a, b) if is_type(a) && is_type(b) => {
                old.kind = b;
                old.scope = new.scope.or(old.scope);
            }
            (a, _) if is_type(a) => {
                let tag = Some((old.kind, old.scope));
                *old = Entry { tag, ..new };
            }
            (NameKind::Value | NameKind::FunctionTemplate | NameKind::VariableTemplate, b) if is_type(b) => {
                old.tag = Some((new.kind, new.scope));
            }
            (NameKind::FunctionTemplate, NameKind::Value) => {}
            _ => {
                let tag = old.tag;
                *old = Entry { tag, ..new };
            }
        }
    }

    /// Says which namespace a new one is in.
    pub(super) fn set_parent(&mut self, namespace: ScopeId, parent: ScopeId) {
        self.scopes[namespace.0 as usize].parent = parent;
    }

    /// `using namespace target` in the current scope.
    pub(super) fn add_directive(&mut self, target: ScopeId) {
        let mut around = vec![target];
        let mut next = target;
        while next != GLOBAL {
            next = self.scopes[next.0 as usize].parent;
            around.push(next);
        }
        let common = self.stack.iter().rev().find(|scope| around.contains(scope));
        let directive = (target, common.copied().unwrap_or(GLOBAL));
        let current = self.current();
        let scope = &mut self.scopes[current.0 as usize];
        scope.is_bare = false;
        if current != target && !scope.directives.contains(&directive) {
            scope.directives.push(directive);
        }
    }

    /// Looks a name up from the innermost scope outwards (\[basic.lookup.unqual\]).
    pub(super) fn find(&self, name: Symbol, wanted: Wanted) -> Option<Entry> {
        let mut directives: SmallVec<[(ScopeId, ScopeId); 4]> = SmallVec::new();
        for &scope in self.stack.iter().rev() {
            let mut found = self.search(scope, name, wanted, false);
            directives.extend(self.scopes[scope.0 as usize].directives.iter().copied());
            for &(target, around) in &directives {
                let overloads = found.is_none_or(|entry| entry.kind == NameKind::Value);
                if around == scope && overloads {
                    found = joined(found, self.search(target, name, wanted, true));
                }
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Looks a name up in one scope and those that are transparent in it (\[basic.lookup.qual\]).
    pub(super) fn find_in(&self, scope: ScopeId, name: Symbol, wanted: Wanted) -> Option<Entry> {
        self.search(scope, name, wanted, true)
    }

    /// Looks a name up among what a scope itself declares, inline namespaces and bases included.
    pub(super) fn find_declared(&self, scope: ScopeId, name: Symbol, wanted: Wanted) -> Option<Entry> {
        self.search(scope, name, wanted, false)
    }

    /// In a scope, then in those transparent in it, then, if wanted, in those of its using-directives.
    fn search(&self, scope: ScopeId, name: Symbol, wanted: Wanted, with_directives: bool) -> Option<Entry> {
        let direct = self.find_direct(scope, name, wanted);
        let node = &self.scopes[scope.0 as usize];
        if direct.is_some() || (node.transparent.is_empty() && (!with_directives || node.directives.is_empty())) {
            return direct;
        }
        let mut seen = Seen::default();
        seen.insert(scope);
        let mut next = 0;
        while let Some(&scope) = seen.list.get(next) {
            next += 1;
            let node = &self.scopes[scope.0 as usize];
            let directives = node
                .directives
                .iter()
                .map(|&(target, _)| target)
                .filter(|_| with_directives);
            for other in node.transparent.iter().copied().chain(directives) {
                if !seen.insert(other) {
                    continue;
                }
                let found = self.find_direct(other, name, wanted);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    pub(super) fn find_direct(&self, scope: ScopeId, name: Symbol, wanted: Wanted) -> Option<Entry> {
        let entry = *self.entries.get(&(scope, name))?;
        match wanted {
            Wanted::Any => Some(entry),
            Wanted::TypeOrNamespace => entry.as_type_or_namespace(),
        }
    }

    /// Says that names of a scope may come from a base or namespace that is not known.
    pub(super) fn set_open(&mut self, scope: ScopeId) {
        let scope = &mut self.scopes[scope.0 as usize];
        (scope.is_open, scope.is_bare) = (true, false);
    }

    /// Whether a name that is not found may be one of a base or namespace that is not known.
    pub(super) fn may_miss_names(&self) -> bool {
        self.visible_scopes()
            .iter()
            .any(|scope| self.scopes[scope.0 as usize].is_open)
    }

    /// The open scopes and all that are transparent in them.
    fn visible_scopes(&self) -> SmallVec<[ScopeId; 16]> {
        let mut seen = Seen::default();
        for &scope in &self.stack {
            seen.insert(scope);
        }
        let mut next = 0;
        while let Some(&scope) = seen.list.get(next) {
            next += 1;
            let node = &self.scopes[scope.0 as usize];
            for other in node
                .transparent
                .iter()
                .copied()
                .chain(node.directives.iter().map(|&(target, _)| target))
            {
                seen.insert(other);
            }
        }
        seen.list
    }

    /// All names that can be seen from here, with what they are: for suggestions. In no order.
    pub(super) fn visible(&self) -> impl Iterator<Item = (Symbol, NameKind)> {
        let scopes = self.visible_scopes();
        let all = self.entries.iter();
        all.filter(move |((scope, _), _)| scopes.contains(scope))
            .map(|(&(_, name), entry)| (name, entry.kind))
    }
}

/// What two declarations seen at the same place are together: a function overloaded with a function template counts as a template.
fn joined(first: Option<Entry>, second: Option<Entry>) -> Option<Entry> {
    match (first, second) {
        (None, other) => other,
        (Some(_), Some(second)) if second.kind == NameKind::FunctionTemplate => Some(second),
        (Some(first), _) => Some(first),
    }
}
