//! User-defined conversions ([class.conv], [over.ics.user]): constructors of the target and conversion functions of the source, and which is the best.

use crate::hir::{ClassId, FunctionId, QualifiedType, ValueCategory};
use crate::sema::Sema;
use crate::sema::entity::Callable;
use crate::sema::expression::Operand;
use crate::sema::overload::{Callee, Resolution};
use crate::source::Span;

use super::implicit::{Permit, Sequence, SequenceKind, User, compare};
use super::standard::{
    Better, Binding, Second, Source, Standard, accepts_category, compare_standard, is_derived_from,
    reference_compatible, standard_conversion,
};

impl<'a> Sema<'a> {
    /// A user-defined conversion of an expression to a type that is no reference: constructors of the target, conversion functions of the source
    /// ([over.match.copy], [over.match.conv]).
    pub(super) fn user_sequence(
        &mut self,
        operand: &Operand<'a>,
        to: QualifiedType,
        permit: Permit,
    ) -> Option<Sequence> {
        let mut found = Vec::new();
        if let Some(class) = self.program.types.as_class(to.id) {
            self.add_converting_constructors(operand, class, to, permit, &mut found);
        }
        if let &Operand::Expression(expression) = operand
            && self.program.types.as_class(self.type_of(expression).id).is_some()
        {
            self.add_conversion_functions(expression, to, permit, &mut found);
        }
        best_user(self, found)
    }

    /// Constructors that one argument can call.
    fn add_converting_constructors(
        &mut self,
        operand: &Operand<'a>,
        class: ClassId,
        to: QualifiedType,
        permit: Permit,
        found: &mut Vec<User>,
    ) {
        let candidates = self.constructor_candidates(class);
        let after = Standard::identity(to);
        let operands = std::slice::from_ref(operand);
        match self.resolve_constructors(
            &candidates,
            operands,
            Permit {
                user: false,
                explicit: permit.explicit,
            },
            self.operand_span(operand),
        ) {
            Resolution::Best(mut best) => {
                if let (Callee::Function(function), Some(Some(before))) = (&best.callee, best.sequences.pop()) {
                    found.push(User {
                        before,
                        function: Some(*function),
                        after,
                    });
                }
            }
            Resolution::Ambiguous(functions) => {
                for function in functions {
                    found.push(User {
                        before: Sequence::standard(Standard::identity(to)),
                        function: Some(function),
                        after,
                    });
                }
            }
            Resolution::None(_) => {}
        }
    }

    /// Conversion functions whose results convert to the type by standard conversions.
    fn add_conversion_functions(
        &mut self,
        expression: crate::hir::ExpressionId,
        to: QualifiedType,
        permit: Permit,
        found: &mut Vec<User>,
    ) {
        for function in self.viable_conversions(expression, to, permit) {
            let Some(before) = self.object_sequence(expression, function) else {
                continue;
            };
            let result = self.result_source(function);
            let after = match (
                self.program.types.as_class(result.ty.id),
                self.program.types.as_class(to.id),
            ) {
                (Some(from), Some(class)) if from == class || is_derived_from(&self.program, from, class) => {
                    let second = if from == class {
                        Second::None
                    } else {
                        Second::DerivedToBase
                    };
                    Some(Standard {
                        second,
                        from: result.ty,
                        ..Standard::identity(to)
                    })
                }
                (None, None) => standard_conversion(&mut self.program, &result, to),
                _ => None,
            };
            if let Some(after) = after {
                found.push(User {
                    before,
                    function: Some(function),
                    after,
                });
            }
        }
    }

    /// A conversion function whose result a reference to `to` binds to directly ([over.match.ref]): an lvalue, or an rvalue or function.
    pub(super) fn reference_by_conversion(
        &mut self,
        expression: crate::hir::ExpressionId,
        to: QualifiedType,
        rvalue: bool,
        permit: Permit,
    ) -> Option<Sequence> {
        let mut found = Vec::new();
        let types = &mut self.program.types;
        let wanted = if rvalue {
            types.rvalue_reference(to)
        } else {
            types.lvalue_reference(to)
        };
        for function in self.viable_conversions(expression, wanted.into(), permit) {
            let result = self.result_source(function);
            let is_lvalue = result.category == ValueCategory::LValue;
            let is_function = self.program.types.as_function(result.ty.id).is_some();
            if is_lvalue == rvalue && !is_function {
                continue;
            }
            self.complete_type(result.ty.id);
            let Some(second) = reference_compatible(&self.program, result.ty, to) else {
                continue;
            };
            let Some(before) = self.object_sequence(expression, function) else {
                continue;
            };
            let binding = Binding {
                rvalue_reference: rvalue,
                to_rvalue: !is_lvalue,
                to_function: is_function,
                plain_object: false,
                direct: true,
            };
            let after = Standard {
                second,
                from: result.ty,
                binding: Some(binding),
                ..Standard::identity(to)
            };
            found.push(User {
                before,
                function: Some(function),
                after,
            });
        }
        best_user(self, found)
    }

    /// The conversion functions of an object's class and its bases that may give the type, templates deduced; hidden ones left out.
    fn viable_conversions(
        &mut self,
        expression: crate::hir::ExpressionId,
        to: QualifiedType,
        permit: Permit,
    ) -> Vec<FunctionId> {
        let Some(class) = self.program.types.as_class(self.type_of(expression).id) else {
            return Vec::new();
        };
        self.complete_type(self.type_of(expression).id);
        let mut functions: Vec<FunctionId> = Vec::new();
        for candidate in self.conversion_functions(class) {
            let function = match candidate.callable {
                Callable::Function(function) => Some(function),
                Callable::Template(template) => self.deduce_conversion(template, to, Span::NONE).ok(),
            };
            let Some(function) = function else { continue };
            let explicit = self.program.function(function).is_explicit;
            let allowed = !explicit || permit.explicit;
            if allowed && !functions.contains(&function) {
                functions.push(function);
            }
        }
        functions
    }

    /// The object of a member function call as the argument of its implicit object parameter ([over.match.funcs]/4); `None` if it cannot be called on it.
    pub(crate) fn object_sequence(
        &mut self,
        object: crate::hir::ExpressionId,
        function: FunctionId,
    ) -> Option<Sequence> {
        let source = self.source(object);
        self.object_source_sequence(&source, function)
    }

    /// The same for a function that a using declaration has made a member of another class.
    pub(crate) fn using_object_sequence(
        &mut self,
        object: crate::hir::ExpressionId,
        function: FunctionId,
        class: crate::hir::ClassId,
    ) -> Option<Sequence> {
        let source = self.source(object);
        self.object_sequence_as(&source, function, Some(class))
    }

    /// The same for an object of which only type and category are known.
    pub(crate) fn object_source_sequence(&mut self, source: &Source, function: FunctionId) -> Option<Sequence> {
        self.object_sequence_as(source, function, None)
    }

    fn object_sequence_as(
        &mut self,
        source: &Source,
        function: FunctionId,
        own: Option<crate::hir::ClassId>,
    ) -> Option<Sequence> {
        let node = self.program.function(function);
        if !node.has_this {
            return Some(Sequence::standard(Standard::identity(source.ty)));
        }
        let signature = self.program.types.as_function(node.ty)?;
        let (qualifiers, reference) = (signature.qualifiers, signature.reference);
        let class = own.or_else(|| self.function_class(function))?;
        let from = self.program.types.as_class(source.ty.id)?;
        if !qualifiers.contains(source.ty.qualifiers.without(crate::hir::Qualifiers::RESTRICT))
            || !accepts_category(qualifiers, reference, source.category)
        {
            return None;
        }
        let second = if from == class {
            Second::None
        } else if is_derived_from(&self.program, from, class) {
            Second::DerivedToBase
        } else {
            return None;
        };
        let to = QualifiedType {
            id: self.program.types.class(class),
            qualifiers,
        };
        let binding = Binding {
            rvalue_reference: reference == crate::hir::RefQualifier::RValue,
            to_rvalue: source.category != ValueCategory::LValue,
            to_function: false,
            plain_object: reference == crate::hir::RefQualifier::None,
            direct: true,
        };
        Some(Sequence::standard(Standard {
            second,
            from: source.ty,
            binding: Some(binding),
            ..Standard::identity(to)
        }))
    }

    /// What a call of the function gives, as a source of further conversions.
    pub(crate) fn result_source(&mut self, function: FunctionId) -> Source {
        let result = self.result_type(function, Span::NONE);
        let (ty, category) = self.category_for(result);
        Source::new(ty, category)
    }
}

/// The best of the user-defined conversions found; ambiguous if there is more than one.
fn best_user(sema: &mut Sema<'_>, found: Vec<User>) -> Option<Sequence> {
    let better = |sema: &mut Sema<'_>, a: &User, b: &User| -> bool {
        match compare(sema, &a.before, &b.before) {
            Better::First => return true,
            Better::Second => return false,
            Better::Neither => {}
        }
        match compare_standard(&sema.program, &a.after, &b.after) {
            Better::First => return true,
            Better::Second => return false,
            Better::Neither => {}
        }
        match (a.function, b.function) {
            (Some(a), Some(b)) => sema.prefers_function(a, b),
            _ => false,
        }
    };
    let mut best = 0;
    for index in 1..found.len() {
        if better(sema, &found[index], &found[best]) {
            best = index;
        }
    }
    for index in 0..found.len() {
        if index != best && !better(sema, &found[best], &found[index]) {
            let functions = found.iter().filter_map(|user| user.function).collect();
            return Some(Sequence {
                kind: SequenceKind::Ambiguous(functions),
                to_initializer_list: false,
            });
        }
    }
    let user = found.into_iter().nth(best)?;
    Some(Sequence {
        kind: SequenceKind::User(Box::new(user)),
        to_initializer_list: false,
    })
}
