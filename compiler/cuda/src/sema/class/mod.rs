//! Classes ([class]).

mod comparison;
mod definition;

pub(crate) use definition::class_kind;

mod elaborated;
mod field;
mod friend;
mod initialiser;
mod special;
mod synthesis;
mod virtual_function;

use super::Sema;
use super::entity::{Callable, Candidate, ClassInfo, ClassState, DefaultArgument, SpecialMember};
use super::scope::Access;
use crate::hir::{ClassId, ExpressionId, ExpressionKind, FieldIndex, FunctionId, QualifiedType, Type, TypeId, Types};
use crate::source::{Instantiated, Report, Span};

pub use special::SpecialInfo;

/// Deepest walk over bases.
pub(crate) const BASE_DEPTH: usize = 4096;

impl<'a> Sema<'a> {
    /// What is known of a class beyond the typed program. Bases and members are there once it is complete: see [`Sema::complete_type`].
    pub fn class_info(&self, class: ClassId) -> &ClassInfo<'a> {
        &self.classes[class.index()]
    }
    /// Completes a class if that can be done: instantiates a specialisation. Whether the type is complete now. Gives no message if it is not.
    pub fn complete_type(&mut self, ty: TypeId) -> bool {
        match *self.program.types.get(ty) {
            Type::Class(class) => {
                self.complete_class(class);
                matches!(
                    self.classes[class.index()].state,
                    ClassState::Complete | ClassState::Failed
                )
            }
            Type::Array(_, None) => false,
            Type::Array(element, Some(_)) => self.complete_type(element.id),
            Type::Void => false,
            _ => true,
        }
    }
    /// Instantiates a class if it is a specialisation that has not been yet.
    pub(crate) fn complete_class(&mut self, class: ClassId) {
        let info = &self.classes[class.index()];
        if info.state == ClassState::Declared
            && let Some(definition) = info.pending
        {
            self.complete_pending(class, definition);
            return;
        }
        let info = &self.classes[class.index()];
        if info.state == ClassState::Declared && info.instance.is_some() {
            self.instantiate_class(class);
        } else if info.state == ClassState::Declared && info.syntax.is_none() && self.is_within_instance(class) {
            self.complete_outside_class(class);
        }
    }
    /// Reads the definition of a member class of an instance.
    fn complete_pending(&mut self, class: ClassId, definition: crate::syntax::ast::Id<crate::syntax::ast::Class>) {
        self.classes[class.index()].pending = None;
        let scope = self.classes[class.index()].scope;
        let Some(parent) = self.scopes.get(scope).parent else {
            return;
        };
        let span = self.program.class(class).span;
        let entity = Instantiated::Class(class.index() as u32);
        self.in_instantiation(span, Some(entity), |sema| {
            sema.beyond_traps(|sema| {
                sema.outside_of_functions(|sema| {
                    sema.in_scope(parent, |sema| sema.complete_definition(class, definition))
                });
            });
        });
    }
    /// The same, with a message if the type is incomplete: `what` is wrong with that, such as "variable of".
    pub fn require_complete(&mut self, ty: TypeId, span: Span, what: &str) -> bool {
        if ty == Types::ERROR || self.complete_type(ty) {
            return true;
        }
        if matches!(self.program.types.get(ty), Type::Void | Type::Function(_)) {
            return true;
        }
        self.report_incomplete(ty.unqualified(), span, what);
        false
    }
    /// Says that a type is incomplete.
    pub(crate) fn report_incomplete(&mut self, ty: QualifiedType, span: Span, what: &str) {
        if ty.id == Types::ERROR {
            return;
        }
        let message = format!("{what}: the type `{}` is incomplete", self.show(ty));
        let mut report = Report::error(span, message);
        if let Some(class) = self.program.types.as_class(self.element_of_arrays(ty).id) {
            let declared = self.program.class(class).span;
            let note = match self.classes[class.index()].state {
                ClassState::InProgress => "its definition ends further down",
                _ => "declared here, without a definition",
            };
            report = report.note_at(declared, note);
        }
        self.emit(report);
    }
    /// The constructors, implicit and inherited ones and templates included. An inherited one without parameters is hidden by the class's own; one whose
    /// parameters all have default arguments is not: the class's own is better where there are no arguments ([over.match.best]/2).
    pub fn constructors(&mut self, class: ClassId) -> Vec<Candidate> {
        self.complete_class(class);
        self.declare_implicit_members(class);
        let own_default = self.special_info(class, SpecialMember::DefaultConstructor).exists;
        let info = &self.classes[class.index()];
        let is_hidden = |candidate: &&Candidate| match candidate.callable {
            Callable::Function(function) => own_default && self.functions[function.index()].defaults.is_empty(),
            Callable::Template(_) => false,
        };
        let inherited = info
            .inherited_constructors
            .iter()
            .filter(|candidate| !is_hidden(candidate));
        info.constructors.iter().chain(inherited).copied().collect()
    }
    /// Whether a constructor can be called without arguments.
    pub(crate) fn is_default_constructor(&self, function: FunctionId) -> bool {
        self.functions[function.index()]
            .defaults
            .iter()
            .all(|default| !matches!(default, DefaultArgument::None))
    }
    /// The conversion functions with those of the bases that are not hidden ([class.conv.fct]).
    pub fn conversion_functions(&mut self, class: ClassId) -> Vec<Candidate> {
        self.complete_class(class);
        let mut found = Vec::new();
        self.collect_conversions(class, &mut found, 0);
        found
    }
    fn collect_conversions(&self, class: ClassId, found: &mut Vec<Candidate>, depth: usize) {
        if depth > BASE_DEPTH {
            return;
        }
        for &candidate in &self.classes[class.index()].conversions {
            let hidden = found
                .iter()
                .any(|known: &Candidate| match (known.callable, candidate.callable) {
                    (Callable::Function(one), Callable::Function(other)) => {
                        self.program.function(one).name == self.program.function(other).name
                            && self.same_parameters(one, other)
                            || known.callable == candidate.callable
                    }
                    (one, other) => one == other,
                });
            if !hidden {
                found.push(candidate);
            }
        }
        for base in &self.classes[class.index()].bases {
            self.collect_conversions(base.class, found, depth + 1);
        }
    }
    /// The destructor that objects of a type need (of arrays, the elements'): `None` if trivial. Reports deleted and inaccessible ones, and uses it.
    pub fn destructor_of(&mut self, ty: QualifiedType, span: Span) -> Option<FunctionId> {
        let class = self.program.types.as_class(self.element_of_arrays(ty).id)?;
        self.complete_class(class);
        if self.classes[class.index()].state == ClassState::Declared {
            return None;
        }
        let special = self.special_info(class, SpecialMember::Destructor);
        if special.trivial && !special.deleted && special.function.is_none() {
            return None;
        }
        let function = self.special_member(class, SpecialMember::Destructor)?;
        let access = self.functions[function.index()].access;
        if access != Access::Public && !self.has_rights(class, access) {
            let declared = self.program.function(function).span;
            let message = format!("the destructor of `{}` is {}", self.class_name(class), access.word());
            self.emit(Report::error(span, message).note_at(declared, "declared here"));
            return None;
        }
        self.use_function(function, span);
        (!special.trivial).then_some(function)
    }
    /// Whether one class is derived from another (not the same).
    pub fn is_derived_from(&mut self, derived: ClassId, base: ClassId) -> bool {
        derived != base && self.base_path(derived, base).is_some()
    }
    /// The direct bases that lead from a class to a base; the first way if there are several. Empty for the class itself.
    pub fn base_path(&mut self, derived: ClassId, base: ClassId) -> Option<Vec<ClassId>> {
        self.complete_class(derived);
        let mut path = Vec::new();
        self.find_base(derived, base, &mut path, 0).then_some(path)
    }
    fn find_base(&self, derived: ClassId, base: ClassId, path: &mut Vec<ClassId>, depth: usize) -> bool {
        if derived == base {
            return true;
        }
        if depth > BASE_DEPTH {
            return false;
        }
        for info in &self.classes[derived.index()].bases {
            path.push(info.class);
            if self.find_base(info.class, base, path, depth + 1) {
                return true;
            }
            path.pop();
        }
        false
    }
    /// Whether members and friends alone may convert to a base from here ([class.access.base]): reports it.
    pub fn check_base_access(&mut self, path: &[ClassId], derived: ClassId, span: Span) -> bool {
        let mut current = derived;
        for &base in path {
            let edge = self.classes[current.index()]
                .bases
                .iter()
                .find(|info| info.class == base)
                .copied();
            if let Some(edge) = edge
                && edge.access != Access::Public
                && !self.has_rights(current, edge.access)
            {
                let message = format!(
                    "`{}` is a {} base of `{}`",
                    self.class_name(base),
                    edge.access.word(),
                    self.class_name(current)
                );
                self.emit(Report::error(span, message).note_at(edge.span, "declared here"));
                return false;
            }
            current = base;
        }
        true
    }
    /// Whether a parameter has a default argument.
    pub fn has_default_argument(&self, function: FunctionId, index: usize) -> bool {
        let defaults = &self.functions[function.index()].defaults;
        defaults
            .get(index)
            .is_some_and(|default| !matches!(default, DefaultArgument::None))
    }
    /// Elaborates a parameter's default argument anew, for one call.
    pub fn default_argument(&mut self, function: FunctionId, index: usize, call: Span) -> ExpressionId {
        let default = self.functions[function.index()].defaults.get(index).copied();
        let error = |sema: &mut Self| sema.program.add_value(ExpressionKind::Error, Types::ERROR, call);
        let (expression, scope) = match default {
            Some(DefaultArgument::Syntax(expression, scope)) => (expression, scope),
            Some(DefaultArgument::InProgress) => {
                self.error(call, "this default argument uses itself");
                return error(self);
            }
            Some(DefaultArgument::None | DefaultArgument::Failed) | None => return error(self),
        };
        let Some(ty) = self.program.types.as_function(self.program.function(function).ty) else {
            return error(self);
        };
        let Some(&target) = ty.parameters.get(index) else {
            return error(self);
        };
        self.functions[function.index()].defaults[index] = DefaultArgument::InProgress;
        let saved_this = self.function.this.take();
        let entity = Instantiated::DefaultArgument(function.index() as u32);
        self.context.diagnostics.enter_instantiation(call, entity);
        let value = self.in_scope(scope, |sema| {
            sema.copy_initialise(target, expression, call, "default argument")
        });
        self.context.diagnostics.leave();
        self.function.this = saved_this;
        self.functions[function.index()].defaults[index] = DefaultArgument::Syntax(expression, scope);
        value
    }
    /// The initialiser of a field in its class, elaborated anew for one constructor or aggregate initialisation; `this` is the current one. `None` if there is none.
    pub fn default_member_initialiser(&mut self, class: ClassId, field: FieldIndex) -> Option<ExpressionId> {
        let info = self.classes[class.index()].fields.get(field.index())?;
        let initializer = info.initialiser?;
        let name = info.name;
        let node = &self.program.class(class).fields[field.index()];
        let (ty, span) = (node.ty, node.span);
        // Constant evaluation may come back to an initialiser by another constructor, but not for ever.
        let open = self.initialisers.iter().filter(|&&open| open == (class, field)).count();
        if open > 1 {
            return Some(self.fail(span, "this member initialiser uses itself"));
        }
        let what = format!("member `{}`", name.map_or("", |name| self.text(name)));
        let scope = self.classes[class.index()].scope;
        let this = self.class_type(class).unqualified();
        let saved = self.function.this.replace(this);
        self.initialisers.push((class, field));
        let value = self.in_scope(scope, |sema| sema.initialise(ty, Some(initializer), span, &what));
        self.initialisers.pop();
        self.function.this = saved;
        Some(value)
    }
}
