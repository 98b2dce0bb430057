//! Classes ([class]).

use super::Sema;
use super::entity::{Candidate, ClassInfo, SpecialMember};
use crate::hir::{ClassId, ExpressionId, FunctionId, QualifiedType, TypeId};
use crate::source::Span;

impl<'a> Sema<'a> {
    /// What is known of a class beyond the typed program. Bases and members are there once it is complete: see [`Sema::complete_type`].
    pub fn class_info(&self, class: ClassId) -> &ClassInfo<'a> {
        &self.classes[class.index()]
    }
    /// Completes a class if that can be done: instantiates a specialisation. Whether the type is complete now. Gives no message if it is not.
    pub fn complete_type(&mut self, ty: TypeId) -> bool {
        let _ = ty;
        true
    }
    /// The same, with a message if the type is incomplete: `what` is wrong with that, such as "variable of".
    pub fn require_complete(&mut self, ty: TypeId, span: Span, what: &str) -> bool {
        let _ = (span, what);
        self.complete_type(ty)
    }
    /// The constructors, implicit and inherited ones and templates included.
    pub fn constructors(&mut self, class: ClassId) -> Vec<Candidate> {
        let _ = class;
        Vec::new()
    }
    /// The conversion functions with those of the bases that are not hidden ([class.conv.fct]).
    pub fn conversion_functions(&mut self, class: ClassId) -> Vec<Candidate> {
        let _ = class;
        Vec::new()
    }
    /// The destructor that objects of a type need (of arrays, the elements'): `None` if trivial. Reports deleted and inaccessible ones, and uses it.
    pub fn destructor_of(&mut self, ty: QualifiedType, span: Span) -> Option<FunctionId> {
        let _ = (ty, span);
        None
    }
    /// The special member as declared or implicit; `None` if there is none, or overload resolution has to choose among several.
    pub fn special_member(&mut self, class: ClassId, which: SpecialMember) -> Option<FunctionId> {
        let _ = (class, which);
        None
    }
    /// Whether one class is derived from another (not the same).
    pub fn is_derived_from(&mut self, derived: ClassId, base: ClassId) -> bool {
        self.base_path(derived, base).is_some()
    }
    /// The direct bases that lead from a class to a base; the first way if there are several. Empty for the class itself.
    pub fn base_path(&mut self, derived: ClassId, base: ClassId) -> Option<Vec<ClassId>> {
        let _ = base;
        (derived == base).then(Vec::new)
    }
    /// Whether the base is there more than once ([class.member.lookup]): conversions to it are ambiguous.
    pub fn base_is_ambiguous(&mut self, derived: ClassId, base: ClassId) -> bool {
        let _ = (derived, base);
        false
    }
    /// Whether members and friends alone may convert to a base from here ([class.access.base]): reports it.
    pub fn check_base_access(&mut self, path: &[ClassId], derived: ClassId, span: Span) -> bool {
        let _ = (path, derived, span);
        true
    }
    /// A function is odr-used: its body will be elaborated, implicit ones made; deleted ones are reported. True if it may be used.
    pub fn use_function(&mut self, function: FunctionId, span: Span) -> bool {
        let _ = (function, span);
        true
    }
    /// Elaborates a function's body at once, for constant evaluation. Whether it has one now.
    pub fn define_now(&mut self, function: FunctionId) -> bool {
        self.program.function(function).body.is_some()
    }
    /// Deduces a function's placeholder result by elaborating its body, if it is not known yet. Whether it is known now; no message if not.
    pub fn deduce_result(&mut self, function: FunctionId) -> bool {
        let _ = function;
        true
    }
    /// Whether a parameter has a default argument.
    pub fn has_default_argument(&self, function: FunctionId, index: usize) -> bool {
        let _ = (function, index);
        false
    }
    /// Elaborates a parameter's default argument anew, for one call.
    pub fn default_argument(&mut self, function: FunctionId, index: usize, call: Span) -> ExpressionId {
        let _ = (function, index);
        self.program
            .add_value(crate::hir::ExpressionKind::Error, crate::hir::Types::ERROR, call)
    }
    /// The initialiser of a field in its class, elaborated anew for one constructor or aggregate initialisation; `this` is the current one. `None` if there is none.
    pub fn default_member_initialiser(
        &mut self,
        class: ClassId,
        field: crate::hir::FieldIndex,
    ) -> Option<ExpressionId> {
        let _ = (class, field);
        None
    }
}
