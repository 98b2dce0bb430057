//! In classes and their bases ([class.member.lookup]).

use super::{Hits, MemberHit, Wanted};
use crate::hir::ClassId;
use crate::sema::class::BASE_DEPTH;
use crate::sema::scope::{Access, Declared};
use crate::sema::{Entity, Sema};
use crate::source::{Symbol, names};

/// What one class or base has of a name.
#[derive(Clone, Debug)]
struct Members {
    list: Vec<Declared>,
    class: ClassId,
    path: Vec<ClassId>,
    access: Option<Access>,
    /// Whether all ways to it go through one virtual base.
    through_virtual: bool,
    repeated: bool,
    ambiguous: Option<(ClassId, ClassId)>,
}

/// Which of a class's direct bases are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bases {
    /// All of them: for the names of members.
    All,
    /// Those that do not depend on the parameters of a template: for names without qualification ([temp.dep.type]/4).
    NotDependent,
}

impl<'a> Sema<'a> {
    /// Searches a class and its bases, as far as they are known.
    pub(crate) fn search_class(&mut self, class: ClassId, name: Symbol, wanted: Wanted) -> Hits {
        self.search_bases(class, name, wanted, Bases::All)
    }
    /// Searches a class and those of its bases that count.
    pub(super) fn search_bases(&mut self, class: ClassId, name: Symbol, wanted: Wanted, which: Bases) -> Hits {
        match self.members_of(class, name, wanted, which, 0) {
            None => Hits::default(),
            Some(members) => Hits {
                list: members.list,
                local: false,
                ambiguous: members.ambiguous,
                member: Some(MemberHit {
                    naming: class,
                    class: members.class,
                    path: members.path,
                    repeated: members.repeated,
                }),
            },
        }
    }
    fn members_of(
        &mut self,
        class: ClassId,
        name: Symbol,
        wanted: Wanted,
        which: Bases,
        depth: usize,
    ) -> Option<Members> {
        let mut list = Vec::new();
        let scope = self.classes[class.index()].scope;
        // Every class has assignments of its own, which hide those of its bases; they are made when first asked for.
        if name == names::OPERATOR_ASSIGN {
            self.declare_implicit_members(class);
        }
        self.collect_own(scope, name, wanted, None, &mut list);
        if let Some(first) = list.first() {
            let access = Some(first.access);
            return Some(Members {
                list,
                class,
                path: Vec::new(),
                access,
                through_virtual: false,
                repeated: false,
                ambiguous: None,
            });
        }
        if depth > BASE_DEPTH {
            return None;
        }
        let mut found: Option<Members> = None;
        for index in 0..self.classes[class.index()].bases.len() {
            let base = self.classes[class.index()].bases[index];
            if which == Bases::NotDependent && base.is_dependent {
                continue;
            }
            let Some(mut members) = self.members_of(base.class, name, wanted, Bases::All, depth + 1) else {
                continue;
            };
            members.path.insert(0, base.class);
            members.through_virtual |= base.is_virtual;
            members.access = match members.access {
                Some(Access::Private) | None => None,
                Some(access) => Some(access.max(base.access)),
            };
            found = Some(match found {
                None => members,
                Some(known) => self.merge_members(known, members),
            });
        }
        found
    }
    /// What two bases have together ([class.member.lookup]/6).
    fn merge_members(&mut self, one: Members, other: Members) -> Members {
        if one.class == other.class {
            let is_static = one.list.iter().all(|declared| !self.needs_object(declared.entity));
            let same_object = one.through_virtual && other.through_virtual;
            let mut merged = if other.access < one.access && other.access.is_some() {
                other
            } else {
                one
            };
            merged.repeated |= !is_static && !same_object;
            return merged;
        }
        if one.list.len() == other.list.len()
            && one
                .list
                .iter()
                .zip(&other.list)
                .all(|(one, other)| one.entity == other.entity)
        {
            return one;
        }
        // A member of a virtual base gives way to one of a class derived from it.
        if one.through_virtual && self.base_path(other.class, one.class).is_some() {
            return other;
        }
        if other.through_virtual && self.base_path(one.class, other.class).is_some() {
            return one;
        }
        let types = |members: &Members| {
            members
                .list
                .iter()
                .map(|declared| self.canonical(declared.entity))
                .collect::<Vec<_>>()
        };
        if types(&one) == types(&other) {
            return one;
        }
        let both = (one.class, other.class);
        let mut merged = one;
        merged.list.extend(other.list);
        merged.ambiguous = Some(both);
        merged
    }
    /// Whether a member belongs to an object.
    fn needs_object(&self, entity: Entity) -> bool {
        match entity {
            Entity::Field(..) | Entity::IndirectField(_) => true,
            Entity::Function(function) => self.program.function(function).has_this,
            Entity::Namespace(_)
            | Entity::Class(_)
            | Entity::Enum(_)
            | Entity::Typedef(_)
            | Entity::Template(_)
            | Entity::Variable(_)
            | Entity::Enumerator(..)
            | Entity::Value(_)
            | Entity::Pack(_)
            | Entity::Alias(_)
            | Entity::Parameter(..)
            | Entity::Builtin(_)
            | Entity::Error => false,
        }
    }
}
