//! Access control ([class.access]).

use crate::hir::{ClassId, FunctionId};
use crate::sema::entity::{Candidate, Friend, Lookup};
use crate::sema::scope::{Access, ScopeKind};
use crate::sema::{Callable, Found, Sema};
use crate::source::{Report, Span};

impl<'a> Sema<'a> {
    /// Reports a use of a member that access does not allow here ([class.access]): true if allowed.
    pub fn check_access(&mut self, lookup: &Lookup<'a>, span: Span) -> bool {
        let (Some(naming), Some(class)) = (lookup.naming, lookup.member_of) else {
            return true;
        };
        if matches!(lookup.found, Found::Error | Found::Nothing | Found::Functions(_)) {
            return true;
        }
        if self.may_access(naming, class, &lookup.path, lookup.access, lookup.declared) {
            return true;
        }
        let message = format!(
            "this member of `{}` is {}",
            self.class_name(class),
            lookup.access.word()
        );
        self.emit(Report::error(span, message).note_at(lookup.declared, "declared here"));
        false
    }
    /// The same of a candidate that overload resolution has chosen.
    pub fn check_candidate_access(&mut self, candidate: &Candidate, span: Span) -> bool {
        let Some(naming) = candidate.naming else {
            return true;
        };
        let (class, declared) = match candidate.callable {
            Callable::Function(function) => (
                self.functions[function.index()].class,
                self.program.function(function).span,
            ),
            Callable::Template(template) => (self.template(template).class, self.template(template).span),
        };
        let class = candidate.through_using.or(class).unwrap_or(naming);
        let path = self.base_path(naming, class).unwrap_or_default();
        if self.may_access(naming, class, &path, candidate.access, declared) {
            return true;
        }
        let what = self.show_callable(candidate.callable);
        let message = format!("{what} is {} in `{}`", candidate.access.word(), self.class_name(class));
        self.emit(Report::error(span, message).note_at(declared, "declared here"));
        false
    }
    /// Whether a member may be named here: `access` is that of the declaration in `class`, which is reached from `naming` by `path` ([class.access.base]/5).
    fn may_access(
        &mut self,
        naming: ClassId,
        class: ClassId,
        path: &[ClassId],
        access: Access,
        _declared: Span,
    ) -> bool {
        let mut seen = Some(access);
        let mut classes = vec![naming];
        classes.extend_from_slice(path);
        if classes.last() != Some(&class) {
            // Through a using declaration: its own access counts.
            return access == Access::Public || self.has_rights(naming, access);
        }
        // From the declaring class towards the naming class: at each it is enough that the member is accessible there and the bases up to it are.
        let mut reachable = self.allows(class, seen);
        for step in (0..classes.len() - 1).rev() {
            let (derived, base) = (classes[step], classes[step + 1]);
            let edge = self.classes[derived.index()]
                .bases
                .iter()
                .find(|info| info.class == base)
                .map_or(Access::Public, |info| info.access);
            seen = match seen {
                Some(Access::Private) | None => None,
                Some(access) => Some(access.max(edge)),
            };
            let base_accessible = self.allows(derived, Some(edge));
            reachable = self.allows(derived, seen) || reachable && base_accessible;
        }
        reachable
    }
    fn allows(&mut self, class: ClassId, access: Option<Access>) -> bool {
        match access {
            None => false,
            Some(Access::Public) => true,
            Some(access) => self.has_rights(class, access),
        }
    }
    /// Whether the place in the program is in a member or friend of a class, or for protected members of one derived from it.
    pub(crate) fn has_rights(&mut self, class: ClassId, access: Access) -> bool {
        if self.function.unchecked_access {
            return true;
        }
        let mut around: Vec<ClassId> = Vec::new();
        let mut functions: Vec<FunctionId> = self.function.function.into_iter().collect();
        for scope in self.scopes.outwards(self.scope) {
            match self.scopes.kind(scope) {
                ScopeKind::Class(inner) => around.push(inner),
                ScopeKind::Function(Some(function)) => functions.push(function),
                _ => {}
            }
        }
        for &function in &functions {
            around.extend(self.functions[function.index()].class);
        }
        // What is granted to a class may be named in its base clause ([class.friend]/2).
        around.extend(self.base_clause);
        let protected = access == Access::Protected;
        for &inner in &around {
            if inner == class || protected && self.base_path(inner, class).is_some() {
                return true;
            }
        }
        // Access of the function itself while its signature is read.
        let mut granting = vec![class];
        if protected {
            granting.extend(around.iter().copied());
        }
        let is_friend = |sema: &Self, friend: &Friend| match *friend {
            Friend::Class(friend) => around.contains(&friend),
            Friend::Function(friend) => functions.contains(&friend),
            Friend::Member { template, member } => functions.iter().any(|function| {
                let info = &sema.functions[function.index()];
                let instance = info
                    .class
                    .and_then(|class| sema.classes[class.index()].instance.as_ref());
                info.name == member && instance.is_some_and(|instance| instance.template == template)
            }),
            Friend::Template(template) => {
                let name = sema.template(template).name;
                around.iter().any(|inner| {
                    sema.classes[inner.index()]
                        .instance
                        .as_ref()
                        .is_some_and(|instance| instance.template == template)
                }) || functions.iter().any(|function| {
                    let info = &sema.functions[function.index()];
                    info.instance.as_ref().is_some_and(|instance| {
                        instance.template == template
                            || sema.template(instance.template).name == name && sema.template(template).class.is_none()
                    })
                })
            }
        };
        if self.classes[class.index()]
            .friends
            .iter()
            .any(|friend| is_friend(self, friend))
        {
            return true;
        }
        if protected {
            // Friends of derived classes.
            let derived: Vec<ClassId> = self.befriending_classes(&around, &functions);
            return derived
                .into_iter()
                .any(|derived| self.base_path(derived, class).is_some());
        }
        false
    }
    /// Classes that name one of these as a friend.
    fn befriending_classes(&self, around: &[ClassId], functions: &[FunctionId]) -> Vec<ClassId> {
        let mut found = Vec::new();
        for &function in functions {
            found.extend(self.functions[function.index()].friend_of);
        }
        for &class in around {
            found.extend(self.classes[class.index()].befriended_by.iter().copied());
        }
        found
    }
    /// A function or template for messages.
    pub fn show_callable(&self, callable: Callable) -> String {
        match callable {
            Callable::Function(function) => format!("`{}`", self.show_function(function)),
            Callable::Template(template) => format!("`{}`", self.text(self.template(template).name)),
        }
    }
    /// A function with its parameters, as users write it.
    pub fn show_function(&self, function: FunctionId) -> String {
        let info = &self.functions[function.index()];
        let function = self.program.function(function);
        let mut out = String::new();
        if let Some(class) = info.class {
            out += &self.class_name(class);
            out += "::";
        }
        match function.name {
            crate::hir::FunctionName::Destructor => out += "~",
            crate::hir::FunctionName::Conversion(to) => {
                out += "operator ";
                out += &self.show(to);
            }
            _ => {}
        }
        if !matches!(function.name, crate::hir::FunctionName::Conversion(_)) {
            out += self.text(info.name);
        }
        let Some(ty) = self.program.types.as_function(function.ty) else {
            return out;
        };
        out += "(";
        let parameters: Vec<String> = ty.parameters.iter().map(|&parameter| self.show(parameter)).collect();
        out += &parameters.join(", ");
        if ty.variadic {
            out += if parameters.is_empty() { "..." } else { ", ..." };
        }
        out += ")";
        if ty.qualifiers.is_const() {
            out += " const";
        }
        out
    }
}
