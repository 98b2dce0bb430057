//! Implicit conversion sequences ([over.best.ics]): what it takes to initialise a parameter or object from an argument.

use crate::hir::{ClassId, FunctionId, QualifiedType, Type, TypeId, Types, ValueCategory};
use crate::sema::Sema;
use crate::sema::entity::Candidate;
use crate::sema::expression::{ListOperand, Operand, Overloads};
use crate::sema::overload::{Callee, Resolution};

use super::standard::{
    Better, Binding, First, Rank, Second, Source, Standard, compare_standard, is_derived_from, reference_compatible,
    reference_related, standard_conversion,
};

/// An implicit conversion sequence.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// What it does.
    pub(crate) kind: SequenceKind,
    /// A list that becomes an `std::initializer_list` ([over.ics.rank]/3.1).
    pub(crate) to_initializer_list: bool,
}

/// What an implicit conversion sequence does.
#[derive(Clone, Debug)]
pub(crate) enum SequenceKind {
    /// Standard conversions alone; of lists, those of the worst element.
    Standard(Standard),
    /// A user-defined conversion.
    User(Box<User>),
    /// More than one user-defined conversion would do ([over.best.ics]/10).
    Ambiguous(Vec<FunctionId>),
    /// An argument for `...`.
    Ellipsis,
}

/// A user-defined conversion sequence ([over.ics.user]).
#[derive(Clone, Debug)]
pub(crate) struct User {
    /// To the constructor's parameter, or of the object for a conversion function.
    pub(crate) before: Sequence,
    /// The constructor or conversion function; `None` is aggregate initialisation from a list.
    pub(crate) function: Option<FunctionId>,
    /// From the result to the type wanted.
    pub(crate) after: Standard,
}

impl Sequence {
    pub(crate) fn standard(standard: Standard) -> Sequence {
        Sequence {
            kind: SequenceKind::Standard(standard),
            to_initializer_list: false,
        }
    }

    fn user(before: Sequence, function: Option<FunctionId>, after: Standard) -> Sequence {
        Sequence {
            kind: SequenceKind::User(Box::new(User {
                before,
                function,
                after,
            })),
            to_initializer_list: false,
        }
    }

    pub(crate) fn ellipsis() -> Sequence {
        Sequence {
            kind: SequenceKind::Ellipsis,
            to_initializer_list: false,
        }
    }

    /// The class of the sequence, smaller is better ([over.ics.rank]/2).
    fn class(&self) -> u8 {
        match self.kind {
            SequenceKind::Standard(_) => 0,
            SequenceKind::User(_) | SequenceKind::Ambiguous(_) => 1,
            SequenceKind::Ellipsis => 2,
        }
    }

    /// The last standard conversion, which reference binding marks.
    pub(crate) fn last_mut(&mut self) -> Option<&mut Standard> {
        match &mut self.kind {
            SequenceKind::Standard(standard) => Some(standard),
            SequenceKind::User(user) => Some(&mut user.after),
            SequenceKind::Ambiguous(_) | SequenceKind::Ellipsis => None,
        }
    }
}

/// What conversions are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Permit {
    /// User-defined conversions ([over.best.ics]/4 forbids them inside of others).
    pub(crate) user: bool,
    /// Explicit constructors and conversion functions: direct-initialisation.
    pub(crate) explicit: bool,
}

impl Permit {
    /// Implicit conversions of arguments and copy-initialisation.
    pub(crate) const IMPLICIT: Permit = Permit {
        user: true,
        explicit: false,
    };
    /// Direct-initialisation.
    pub(crate) const DIRECT: Permit = Permit {
        user: true,
        explicit: true,
    };
    /// Inside of a user-defined conversion.
    pub(crate) const STANDARD: Permit = Permit {
        user: false,
        explicit: false,
    };
}

/// Compares two sequences of one argument ([over.ics.rank]).
pub(crate) fn compare(sema: &Sema<'_>, a: &Sequence, b: &Sequence) -> Better {
    if a.to_initializer_list != b.to_initializer_list && a.class() < 2 && b.class() < 2 {
        return if a.to_initializer_list {
            Better::First
        } else {
            Better::Second
        };
    }
    if a.class() != b.class() {
        return if a.class() < b.class() {
            Better::First
        } else {
            Better::Second
        };
    }
    match (&a.kind, &b.kind) {
        (SequenceKind::Standard(a), SequenceKind::Standard(b)) => compare_standard(&sema.program, a, b),
        (SequenceKind::User(a), SequenceKind::User(b)) if a.function == b.function => {
            compare_standard(&sema.program, &a.after, &b.after)
        }
        _ => Better::Neither,
    }
}

impl<'a> Sema<'a> {
    /// The sequence that initialises something of type `to` from an operand; `None` if there is none. Nothing is emitted and nothing built.
    pub(crate) fn implicit_sequence(
        &mut self,
        operand: &Operand<'a>,
        to: QualifiedType,
        permit: Permit,
    ) -> Option<Sequence> {
        if to.id == Types::ERROR || self.operand_is_poisoned(operand) {
            return Some(Sequence::standard(Standard::identity(to)));
        }
        if self.program.types.is_reference(to.id) {
            return self.reference_sequence(operand, to, permit);
        }
        match operand {
            Operand::List(list) => self.list_sequence(list, to, permit),
            Operand::Overloads(overloads) => self.overloads_sequence(overloads, to, permit),
            &Operand::Expression(expression) => {
                let source = self.source(expression);
                self.source_sequence(operand, &source, to, permit)
            }
        }
    }

    /// Whether an operand has been complained about already.
    pub(crate) fn operand_is_poisoned(&self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Expression(expression) => self.is_poisoned(*expression),
            Operand::Overloads(_) => false,
            Operand::List(list) => list
                .clauses
                .iter()
                .any(|clause| self.operand_is_poisoned(&clause.value)),
        }
    }

    /// An expression to a type that is no reference.
    fn source_sequence(
        &mut self,
        operand: &Operand<'a>,
        source: &Source,
        to: QualifiedType,
        permit: Permit,
    ) -> Option<Sequence> {
        self.complete_type(to.id);
        self.complete_pointees(source.ty.id, to.id);
        let (from_class, to_class) = (
            self.program.types.as_class(source.ty.id),
            self.program.types.as_class(to.id),
        );
        if let (Some(from), Some(class)) = (from_class, to_class) {
            self.complete_type(source.ty.id);
            if from == class || is_derived_from(&self.program, from, class) {
                let second = if from == class {
                    Second::None
                } else {
                    Second::DerivedToBase
                };
                return Some(Sequence::standard(Standard {
                    second,
                    from: source.ty,
                    ..Standard::identity(to)
                }));
            }
        }
        if from_class.is_none() && to_class.is_none() {
            let sequence = standard_conversion(&mut self.program, source, to).map(Sequence::standard);
            if sequence.is_none() && permit.explicit && source.ty.id == Types::NULL_POINTER && to.id == Types::BOOL {
                let standard = Standard {
                    second: Second::Boolean,
                    from: source.ty,
                    ..Standard::identity(to)
                };
                return Some(Sequence::standard(standard));
            }
            return sequence;
        }
        if permit.user {
            self.user_sequence(operand, to, permit)
        } else {
            None
        }
    }

    /// An overloaded name: chooses by the type wanted ([over.over]).
    fn overloads_sequence(&mut self, overloads: &Overloads<'a>, to: QualifiedType, permit: Permit) -> Option<Sequence> {
        if self.program.types.as_class(to.id).is_some() {
            let expression = self.overloads_expression(overloads)?;
            return self.implicit_sequence(&Operand::Expression(expression), to, permit);
        }
        if to.id == Types::BOOL {
            self.single_function(overloads)?;
            let standard = Standard {
                first: First::FunctionToPointer,
                second: Second::Boolean,
                pointer_to_bool: true,
                ..Standard::identity(to)
            };
            return Some(Sequence::standard(standard));
        }
        let (wanted, class) = match *self.program.types.get(to.id) {
            Type::Pointer(pointee) => (pointee.id, None),
            Type::MemberPointer { class, pointee } => (pointee.id, Some(class)),
            _ => return None,
        };
        self.program.types.as_function(wanted)?;
        let function = self.overload_for_type(overloads, wanted, class)?;
        let first = if class.is_some() {
            First::None
        } else {
            First::FunctionToPointer
        };
        let qualification = self.program.function(function).ty != wanted;
        Some(Sequence::standard(Standard {
            first,
            qualification,
            ..Standard::identity(to)
        }))
    }

    /// Binding a reference ([dcl.init.ref]/5, [over.ics.ref]).
    fn reference_sequence(
        &mut self,
        operand: &Operand<'a>,
        reference: QualifiedType,
        permit: Permit,
    ) -> Option<Sequence> {
        let (to, rvalue_reference) = match *self.program.types.get(reference.id) {
            Type::LValueReference(to) => (to, false),
            Type::RValueReference(to) => (to, true),
            _ => return None,
        };
        let expression = match operand {
            Operand::List(list) => return self.list_reference_sequence(list, to, rvalue_reference, permit),
            Operand::Overloads(overloads) => {
                if self.program.types.as_function(to.id).is_none() {
                    let expression = self.overloads_expression(overloads)?;
                    return self.reference_sequence(&Operand::Expression(expression), reference, permit);
                }
                self.overload_for_type(overloads, to.id, None)?;
                let binding = Binding {
                    rvalue_reference,
                    to_rvalue: false,
                    to_function: true,
                    plain_object: false,
                    direct: true,
                };
                return Some(Sequence::standard(Standard {
                    binding: Some(binding),
                    ..Standard::identity(to)
                }));
            }
            &Operand::Expression(expression) => expression,
        };
        let source = self.source(expression);
        self.complete_type(source.ty.id);
        self.complete_type(to.id);
        let related = reference_related(&self.program, source.ty, to);
        let compatible = reference_compatible(&self.program, source.ty, to);
        let is_function = self.program.types.as_function(source.ty.id).is_some();
        let is_lvalue = source.category == ValueCategory::LValue;
        let binding = Binding {
            rvalue_reference,
            to_rvalue: !is_lvalue,
            to_function: is_function,
            plain_object: false,
            direct: true,
        };
        let direct = |second| {
            Sequence::standard(Standard {
                second,
                from: source.ty,
                binding: Some(binding),
                ..Standard::identity(to)
            })
        };
        if !rvalue_reference
            && is_lvalue
            && source.bit_field.is_none()
            && let Some(second) = compatible
        {
            return Some(direct(second));
        }
        let from_class = self.program.types.as_class(source.ty.id);
        if related.is_none()
            && from_class.is_some()
            && permit.user
            && !rvalue_reference
            && let Some(sequence) = self.reference_by_conversion(expression, to, false, permit)
        {
            return Some(sequence);
        }
        let qualifiers = super::standard::significant(&self.program.types, to);
        if !rvalue_reference && (!qualifiers.is_const() || qualifiers.is_volatile()) {
            return None;
        }
        if (!is_lvalue || is_function)
            && let Some(second) = compatible.filter(|_| source.bit_field.is_none())
        {
            return Some(direct(second));
        }
        if related.is_none()
            && from_class.is_some()
            && permit.user
            && let Some(sequence) = self.reference_by_conversion(expression, to, true, permit)
        {
            return Some(sequence);
        }
        if related.is_some() && (compatible.is_none() || (rvalue_reference && is_lvalue && source.bit_field.is_none()))
        {
            return None;
        }
        let value = to.unqualified();
        let value = if from_class.is_some() || self.program.types.as_class(to.id).is_some() {
            to
        } else {
            value
        };
        let mut sequence = self.source_sequence(
            operand,
            &source,
            value,
            Permit {
                explicit: false,
                ..permit
            },
        )?;
        mark_binding(&mut sequence, rvalue_reference, to);
        Some(sequence)
    }

    /// A list for a reference: its one element, or a temporary ([dcl.init.list]/3.9, [over.ics.list]/9).
    fn list_reference_sequence(
        &mut self,
        list: &ListOperand<'a>,
        to: QualifiedType,
        rvalue_reference: bool,
        permit: Permit,
    ) -> Option<Sequence> {
        if let Some(element @ Operand::Expression(expression)) = list.single() {
            let from = self.type_of(*expression);
            self.complete_type(from.id);
            if reference_related(&self.program, from, to).is_some() {
                let types = &mut self.program.types;
                let reference = if rvalue_reference {
                    types.rvalue_reference(to)
                } else {
                    types.lvalue_reference(to)
                };
                return self.reference_sequence(element, reference.into(), permit);
            }
        }
        let qualifiers = super::standard::significant(&self.program.types, to);
        if !rvalue_reference && (!qualifiers.is_const() || qualifiers.is_volatile()) {
            return None;
        }
        let mut sequence = self.list_sequence(
            list,
            to,
            Permit {
                explicit: false,
                ..permit
            },
        )?;
        mark_binding(&mut sequence, rvalue_reference, to);
        Some(sequence)
    }

    /// The sequence of a list for a type that is no reference ([over.ics.list]).
    fn list_sequence(&mut self, list: &ListOperand<'a>, to: QualifiedType, permit: Permit) -> Option<Sequence> {
        self.complete_type(to.id);
        if let Some(element) = self.initializer_list_element(to.id) {
            let mut worst = Sequence::standard(Standard::identity(to));
            for clause in &list.clauses {
                let sequence = self.implicit_sequence(&clause.value, element, Permit::IMPLICIT)?;
                worst = worse(self, worst, sequence);
            }
            worst.to_initializer_list = true;
            return Some(worst);
        }
        match *self.program.types.get(to.id) {
            Type::Class(class) => self.list_class_sequence(list, class, to, permit),
            Type::Array(element, count) => {
                if count.is_some_and(|count| count < list.clauses.len() as u64) {
                    return None;
                }
                let mut worst = Sequence::standard(Standard::identity(to));
                for clause in &list.clauses {
                    let sequence = self.implicit_sequence(&clause.value, element, Permit::IMPLICIT)?;
                    worst = worse(self, worst, sequence);
                }
                Some(worst)
            }
            _ => match &list.clauses[..] {
                [] => Some(Sequence::standard(Standard::identity(to))),
                [clause] if !matches!(clause.value, Operand::List(_)) => {
                    self.implicit_sequence(&clause.value, to, permit)
                }
                _ => None,
            },
        }
    }

    /// A list for a class: one object of it, a constructor, or aggregate initialisation.
    fn list_class_sequence(
        &mut self,
        list: &ListOperand<'a>,
        class: ClassId,
        to: QualifiedType,
        permit: Permit,
    ) -> Option<Sequence> {
        if let Some(element @ Operand::Expression(expression)) = list.single() {
            let from = self.program.types.as_class(self.type_of(*expression).id);
            if from.is_some_and(|from| from == class || is_derived_from(&self.program, from, class)) {
                return self.implicit_sequence(element, to, permit);
            }
        }
        if !permit.user {
            return None;
        }
        let after = Standard::identity(to);
        let before = Sequence::standard(Standard::identity(to));
        if self.program.class(class).aggregate {
            return self
                .can_initialise_aggregate(list, class)
                .then(|| Sequence::user(before, None, after));
        }
        match self.resolve_list_constructor(list, class, list.span) {
            Resolution::Best(best) => match best.callee {
                Callee::Function(function) => Some(Sequence::user(before, Some(function), after)),
                _ => None,
            },
            Resolution::Ambiguous(functions) => Some(Sequence {
                kind: SequenceKind::Ambiguous(functions),
                to_initializer_list: false,
            }),
            Resolution::None(_) => None,
        }
    }

    /// The element type, if the type is a specialisation of `std::initializer_list`.
    pub(crate) fn initializer_list_element(&self, id: TypeId) -> Option<QualifiedType> {
        let class = self.program.types.as_class(id)?;
        let class = self.program.class(class);
        if class.name.as_deref() != Some("initializer_list") || !self.is_in_std(class.scope) {
            return None;
        }
        match class.template_arguments.as_deref() {
            Some([crate::hir::TemplateArgument::Type(element)]) => Some(*element),
            _ => None,
        }
    }

    /// Whether a scope is namespace `std`, or an inline namespace in it (as `cuda::std::__4`, too).
    pub(crate) fn is_in_std(&self, scope: crate::hir::Scope) -> bool {
        let mut scope = scope;
        loop {
            let crate::hir::Scope::Namespace(namespace) = scope else {
                return false;
            };
            let node = self.program.namespace(namespace);
            match (node.name.as_deref(), node.parent) {
                (Some("std"), _) => return true,
                (_, Some(parent)) if node.inline => scope = crate::hir::Scope::Namespace(parent),
                _ => return false,
            }
        }
    }

    /// Completes the classes that two pointer types point to, whose bases decide on conversions.
    fn complete_pointees(&mut self, from: TypeId, to: TypeId) {
        if from == to {
            return;
        }
        if let (&Type::Pointer(a), &Type::Pointer(b)) = (self.program.types.get(from), self.program.types.get(to)) {
            if a.id != b.id && self.program.types.as_class(b.id).is_some() {
                self.complete_type(a.id);
            }
        } else if let (&Type::MemberPointer { class: c, .. }, &Type::MemberPointer { class: d, .. }) =
            (self.program.types.get(from), self.program.types.get(to))
            && c != d
        {
            let ty = self.program.types.class(d);
            self.complete_type(ty);
        }
    }

    /// The constructors of a class as candidates, complete ones, inherited ones included.
    pub(crate) fn constructor_candidates(&mut self, class: ClassId) -> Vec<Candidate> {
        let ty = self.program.types.class(class);
        self.complete_type(ty);
        self.constructors(class)
    }
}

/// Says that a temporary was bound.
fn mark_binding(sequence: &mut Sequence, rvalue_reference: bool, to: QualifiedType) {
    if let Some(last) = sequence.last_mut() {
        last.binding = Some(Binding {
            rvalue_reference,
            to_rvalue: true,
            to_function: false,
            plain_object: false,
            direct: false,
        });
        last.to = to;
    }
}

/// The worse of two sequences, the first if neither is.
fn worse(sema: &Sema<'_>, a: Sequence, b: Sequence) -> Sequence {
    let rank = |sequence: &Sequence| match &sequence.kind {
        SequenceKind::Standard(standard) => (0, standard.rank()),
        _ => (sequence.class(), Rank::Conversion),
    };
    let _ = sema;
    if rank(&b) > rank(&a) { b } else { a }
}
