//! Type traits that the compiler answers ([meta.unary], [meta.rel]); their names and meanings are those shared by GCC, Clang and NVIDIA's compiler.

use crate::hir::{ClassId, ClassKind, ExpressionId, QualifiedType, Qualifiers, Type, TypeId, Types, ValueCategory};
use crate::hir::{ExpressionKind, FunctionId};
use crate::sema::Sema;
use crate::sema::context::Evaluation;
use crate::sema::conversion::implicit::Permit;
use crate::sema::entity::{Callable, SpecialMember};
use crate::sema::template::pack::Pattern;
use crate::source::Span;
use crate::syntax::ast::{self, TypeTrait};

use super::Operand;

impl<'a> Sema<'a> {
    /// `__is_same(T, U)` and its kin: a constant of type `bool`.
    pub(super) fn type_trait(
        &mut self,
        which: TypeTrait,
        arguments: &'a [ast::TraitArgument],
        span: Span,
    ) -> ExpressionId {
        let mut types = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if argument.pack_expansion {
                let type_id = argument.type_id;
                let Some(expanded) = self.expand(Pattern::Type(type_id), span, |sema| sema.type_of_type_id(type_id))
                else {
                    return self.poison(span);
                };
                types.extend(expanded);
            } else {
                types.push(self.type_of_type_id(argument.type_id));
            }
        }
        if types.iter().any(|ty| ty.id == Types::ERROR) {
            return self.poison(span);
        }
        match self.answer(which, &types, span) {
            Some(answer) => self.boolean(answer, span),
            None => {
                let message = format!(
                    "`{}` cannot be applied to these {} types",
                    which.spelling(),
                    types.len()
                );
                self.fail(span, message)
            }
        }
    }

    fn answer(&mut self, which: TypeTrait, types: &[QualifiedType], span: Span) -> Option<bool> {
        use TypeTrait as T;
        match which {
            T::IsConstructible | T::IsNothrowConstructible | T::IsTriviallyConstructible => {
                let (&to, from) = types.split_first()?;
                return Some(match which {
                    T::IsConstructible => self.is_constructible(to, from, span).is_some(),
                    T::IsNothrowConstructible => self
                        .is_constructible(to, from, span)
                        .is_some_and(|value| !self.may_throw(value)),
                    _ => self
                        .is_constructible(to, from, span)
                        .is_some_and(|value| self.is_trivial_value(value)),
                });
            }
            _ => {}
        }
        match *types {
            [ty] => self.answer_one(which, ty, span),
            [a, b] => self.answer_two(which, a, b, span),
            _ => None,
        }
    }

    fn answer_two(&mut self, which: TypeTrait, a: QualifiedType, b: QualifiedType, span: Span) -> Option<bool> {
        use TypeTrait as T;
        Some(match which {
            T::IsSame | T::IsSameAs => a == b,
            T::TypesCompatible => self.program.types.remove_qualifiers(a) == self.program.types.remove_qualifiers(b),
            T::IsBaseOf => {
                let (base, derived) = (self.program.types.as_class(a.id), self.program.types.as_class(b.id));
                match (base, derived) {
                    (Some(base), Some(derived)) if base == derived => true,
                    (Some(base), Some(derived)) if self.program.class(base).kind != ClassKind::Union => {
                        self.require_complete(b.id, span, "`__is_base_of` of") && self.is_derived_from(derived, base)
                    }
                    _ => false,
                }
            }
            T::IsConvertible | T::IsConvertibleTo => self.is_convertible(a, b, span).is_some(),
            T::IsNothrowConvertible => self
                .is_convertible(a, b, span)
                .is_some_and(|value| value.is_none_or(|value| !self.may_throw(value))),
            T::IsAssignable => self.assigned(a, b, span).is_some(),
            T::IsNothrowAssignable => self.assigned(a, b, span).is_some_and(|value| !self.may_throw(value)),
            T::IsTriviallyAssignable => self
                .assigned(a, b, span)
                .is_some_and(|value| self.is_trivial_value(value)),
            T::IsLayoutCompatible => a.id == b.id,
            T::IsPointerInterconvertibleBaseOf => {
                let (base, derived) = (self.program.types.as_class(a.id)?, self.program.types.as_class(b.id)?);
                self.complete_type(b.id);
                base == derived || (self.is_standard_layout(b.id) && self.is_derived_from(derived, base))
            }
            T::ReferenceBindsToTemporary | T::ReferenceConstructsFromTemporary | T::ReferenceConvertsFromTemporary => {
                self.binds_to_temporary(a, b, span)
            }
            _ => return None,
        })
    }

    fn answer_one(&mut self, which: TypeTrait, ty: QualifiedType, span: Span) -> Option<bool> {
        use TypeTrait as T;
        let id = ty.id;
        let kind = self.program.types.get(id).clone();
        let class = self.program.types.as_class(id);
        let info_needed = matches!(
            which,
            T::IsAbstract
                | T::IsAggregate
                | T::IsEmpty
                | T::IsFinal
                | T::IsLiteral
                | T::IsLiteralType
                | T::IsPod
                | T::IsPolymorphic
                | T::IsStandardLayout
                | T::IsTrivial
                | T::IsTriviallyCopyable
                | T::IsTriviallyDestructible
                | T::IsDestructible
                | T::IsNothrowDestructible
                | T::HasNothrowAssign
                | T::HasNothrowConstructor
                | T::HasNothrowCopy
                | T::HasTrivialAssign
                | T::HasTrivialConstructor
                | T::HasTrivialCopy
                | T::HasTrivialDestructor
                | T::HasUniqueObjectRepresentations
                | T::HasVirtualDestructor
                | T::IsTriviallyRelocatable
                | T::IsTriviallyEqualityComparable
        );
        if let (Some(class), true) = (class, info_needed) {
            let is_union_trait = self.program.class(class).kind == ClassKind::Union && matches!(which, T::IsFinal);
            if !is_union_trait && !self.require_complete(id, span, which.spelling()) {
                return Some(false);
            }
        }
        Some(match which {
            T::IsAbstract => class.is_some_and(|class| self.class_info(class).abstract_because.is_some()),
            T::IsAggregate => {
                matches!(kind, Type::Array(..)) || class.is_some_and(|class| self.program.class(class).aggregate)
            }
            T::IsArithmetic => self.program.types.is_arithmetic(id),
            T::IsArray => matches!(kind, Type::Array(..)),
            T::IsBoundedArray => matches!(kind, Type::Array(_, Some(_))),
            T::IsUnboundedArray => matches!(kind, Type::Array(_, None)),
            T::IsClass => class.is_some_and(|class| self.program.class(class).kind != ClassKind::Union),
            T::IsUnion => class.is_some_and(|class| self.program.class(class).kind == ClassKind::Union),
            T::IsCompleteType => self.complete_type(id) && !matches!(kind, Type::Void | Type::Array(_, None)),
            T::IsCompound => !self.is_fundamental(id),
            T::IsFundamental => self.is_fundamental(id),
            T::IsConst => self.program.types.qualifiers_of(ty).is_const(),
            T::IsVolatile => self.program.types.qualifiers_of(ty).is_volatile(),
            T::IsEmpty => class.is_some_and(|class| {
                self.program.class(class).kind != ClassKind::Union && self.program.class(class).layout.empty
            }),
            T::IsEnum => matches!(kind, Type::Enum(_)),
            T::IsScopedEnum => self
                .program
                .types
                .as_enum(id)
                .is_some_and(|enumeration| self.program.enumeration(enumeration).scoped),
            T::IsExtendedDeviceLambda => class
                .and_then(|class| self.extended_lambda(class))
                .is_some_and(|(space, _)| !space.host),
            T::IsExtendedDeviceLambdaWithResult => class
                .and_then(|class| self.extended_lambda(class))
                .is_some_and(|(space, result)| !space.host && result),
            T::IsExtendedHostDeviceLambda => class
                .and_then(|class| self.extended_lambda(class))
                .is_some_and(|(space, _)| space.host),
            T::IsFinal => class.is_some_and(|class| self.program.class(class).is_final),
            T::IsFloatingPoint => self.program.types.is_floating(id),
            T::IsFunction => matches!(kind, Type::Function(_)),
            T::IsIntegral => self.program.types.is_integral(id),
            T::IsLvalueReference => matches!(kind, Type::LValueReference(_)),
            T::IsRvalueReference => matches!(kind, Type::RValueReference(_)),
            T::IsReference => self.program.types.is_reference(id),
            T::IsMemberFunctionPointer => self
                .member_pointee(id)
                .is_some_and(|to| self.program.types.as_function(to.id).is_some()),
            T::IsMemberObjectPointer => self
                .member_pointee(id)
                .is_some_and(|to| self.program.types.as_function(to.id).is_none()),
            T::IsMemberPointer => matches!(kind, Type::MemberPointer { .. }),
            T::IsNullptr => matches!(kind, Type::NullPointer),
            T::IsObject => !matches!(
                kind,
                Type::Function(_) | Type::Void | Type::LValueReference(_) | Type::RValueReference(_)
            ),
            T::IsPointer => matches!(kind, Type::Pointer(_)),
            T::IsReferenceable => self.is_referenceable(id),
            T::IsScalar => self.program.types.is_scalar(id),
            T::IsSigned => match kind {
                Type::Integer(kind) => kind.is_signed(),
                Type::Float(_) => true,
                _ => false,
            },
            T::IsUnsigned => match kind {
                Type::Integer(kind) => !kind.is_signed(),
                Type::Bool => true,
                _ => false,
            },
            T::IsVoid => matches!(kind, Type::Void),
            T::IsPolymorphic => class.is_some_and(|class| self.class_info(class).polymorphic),
            T::IsDestructible => self.is_destructible(ty, span),
            T::IsNothrowDestructible => self.is_destructible(ty, span),
            T::IsTriviallyDestructible | T::HasTrivialDestructor => {
                self.is_destructible(ty, span) && self.has_trivial_destructor(id)
            }
            T::HasVirtualDestructor => {
                let destructor = class.and_then(|class| self.class_info(class).destructor);
                destructor.is_some_and(|function| self.program.function(function).is_virtual)
            }
            T::IsTriviallyCopyable | T::IsTriviallyRelocatable => self.is_trivially_copyable(id),
            T::IsTrivial => self.is_trivial_type(id, span),
            T::IsPod => self.is_trivial_type(id, span) && self.is_standard_layout(id),
            T::IsStandardLayout => self.is_standard_layout(id),
            T::IsLiteral | T::IsLiteralType => self.is_literal(id),
            T::HasUniqueObjectRepresentations => self.has_unique_representations(id),
            T::IsTriviallyEqualityComparable => self.program.types.is_scalar(id) && !self.program.types.is_floating(id),
            T::HasTrivialConstructor => self
                .is_constructible(ty, &[], span)
                .is_some_and(|value| self.is_trivial_value(value)),
            T::HasNothrowConstructor => self
                .is_constructible(ty, &[], span)
                .is_some_and(|value| !self.may_throw(value)),
            T::HasTrivialCopy => self.copied(ty, span).is_some_and(|value| self.is_trivial_value(value)),
            T::HasNothrowCopy => self.copied(ty, span).is_some_and(|value| !self.may_throw(value)),
            T::HasTrivialAssign => self
                .copy_assigned(ty, span)
                .is_some_and(|value| self.is_trivial_value(value)),
            T::HasNothrowAssign => self.copy_assigned(ty, span).is_some_and(|value| !self.may_throw(value)),
            _ => return None,
        })
    }

    fn member_pointee(&self, id: TypeId) -> Option<QualifiedType> {
        match *self.program.types.get(id) {
            Type::MemberPointer { pointee, .. } => Some(pointee),
            _ => None,
        }
    }

    fn is_fundamental(&self, id: TypeId) -> bool {
        self.program.types.is_arithmetic(id) || matches!(self.program.types.get(id), Type::Void | Type::NullPointer)
    }

    /// Whether there are references to the type ([defns.referenceable]).
    fn is_referenceable(&self, id: TypeId) -> bool {
        match self.program.types.get(id) {
            Type::Void => false,
            Type::Function(function) => {
                function.qualifiers.is_empty() && function.reference == crate::hir::RefQualifier::None
            }
            _ => true,
        }
    }

    /// An expression as `std::declval` of the type would be.
    fn declared_value(&mut self, ty: QualifiedType, span: Span) -> ExpressionId {
        let (to, category) = match *self.program.types.get(ty.id) {
            Type::LValueReference(to) => (to, ValueCategory::LValue),
            Type::RValueReference(to) if self.program.types.as_function(to.id).is_some() => (to, ValueCategory::LValue),
            Type::RValueReference(to) => (to, ValueCategory::XValue),
            Type::Function(_) => (ty, ValueCategory::LValue),
            Type::Void => return self.value(ExpressionKind::Zero, Types::VOID, span),
            _ => (ty, ValueCategory::XValue),
        };
        let pointer = self.program.types.pointer(to);
        let null = self.null_of(pointer.into(), span);
        self.program.add(ExpressionKind::Dereference(null), to, category, span)
    }

    /// An attempt in an unevaluated operand: its result if it makes no error.
    fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let evaluation = Evaluation {
            unevaluated: true,
            ..self.function.evaluation
        };
        self.trying(|sema| sema.with_evaluation(evaluation, work)).ok()
    }

    /// `T object(declval<From>()...)` ([meta.unary.prop]/8); the object must be destructible, too.
    fn is_constructible(&mut self, to: QualifiedType, from: &[QualifiedType], span: Span) -> Option<ExpressionId> {
        match self.program.types.get(to.id) {
            Type::Void | Type::Function(_) | Type::Array(_, None) => return None,
            _ => {}
        }
        if !self.complete_type(to.id) || self.is_abstract(to.id) {
            return None;
        }
        let operands: Vec<Operand<'a>> = from
            .iter()
            .map(|&ty| Operand::Expression(self.declared_value(ty, span)))
            .collect();
        if operands.iter().any(
            |operand| matches!(operand, &Operand::Expression(expression) if self.type_of(expression).id == Types::VOID),
        ) {
            return None;
        }
        let value = self.attempt(|sema| match (&operands[..], sema.program.types.get(to.id)) {
            ([], Type::LValueReference(_) | Type::RValueReference(_)) => {
                sema.fail(span, "a reference must be initialized")
            }
            ([], _) => sema.default_initialise(to.unqualified(), span, "object"),
            (operands, _) => sema.direct_initialise(to, operands, span, "object"),
        })?;
        (self.is_destructible(to, span) && !self.is_poisoned(value)).then_some(value)
    }

    fn is_abstract(&self, id: TypeId) -> bool {
        self.program
            .types
            .as_class(id)
            .is_some_and(|class| self.class_info(class).abstract_because.is_some())
    }

    /// `To f() { return declval<From>(); }` ([meta.rel]/5). The inner value is `None` for `void` to `void`.
    fn is_convertible(&mut self, from: QualifiedType, to: QualifiedType, span: Span) -> Option<Option<ExpressionId>> {
        let is_void = |ty: QualifiedType| ty.id == Types::VOID;
        if is_void(from) || is_void(to) {
            return (is_void(from) && is_void(to)).then_some(None);
        }
        if matches!(self.program.types.get(to.id), Type::Array(..) | Type::Function(_)) || self.is_abstract(to.id) {
            return None;
        }
        let operand = Operand::Expression(self.declared_value(from, span));
        let value = self.attempt(|sema| sema.convert_permitted(&operand, to, Permit::IMPLICIT, "a result"))?;
        (!self.is_poisoned(value)).then_some(Some(value))
    }

    /// `declval<A>() = declval<B>()`.
    fn assigned(&mut self, to: QualifiedType, from: QualifiedType, span: Span) -> Option<ExpressionId> {
        if to.id == Types::VOID || from.id == Types::VOID {
            return None;
        }
        let target = self.declared_value(to, span);
        let value = Operand::Expression(self.declared_value(from, span));
        let result = self.attempt(|sema| sema.assign_operand(None, target, &value, span, span))?;
        (!self.is_poisoned(result)).then_some(result)
    }

    fn copied(&mut self, ty: QualifiedType, span: Span) -> Option<ExpressionId> {
        let reference = self.program.types.lvalue_reference(ty.with(Qualifiers::CONST));
        self.is_constructible(ty, &[reference.into()], span)
    }

    fn copy_assigned(&mut self, ty: QualifiedType, span: Span) -> Option<ExpressionId> {
        let from = self.program.types.lvalue_reference(ty.with(Qualifiers::CONST));
        let to = self.program.types.lvalue_reference(ty);
        self.assigned(to.into(), from.into(), span)
    }

    fn is_destructible(&mut self, ty: QualifiedType, span: Span) -> bool {
        match *self.program.types.get(ty.id) {
            Type::LValueReference(_) | Type::RValueReference(_) => true,
            Type::Void | Type::Function(_) | Type::Array(_, None) => false,
            Type::Array(element, _) => self.is_destructible(element, span),
            Type::Class(class) => {
                if !self.complete_type(ty.id) {
                    return false;
                }
                let deleted = self.program.class(class).destructor == crate::hir::Destructor::Deleted;
                !deleted && self.attempt(|sema| sema.destructor_of(ty, span)).is_some()
            }
            _ => true,
        }
    }

    fn has_trivial_destructor(&self, id: TypeId) -> bool {
        match *self.program.types.get(id) {
            Type::Array(element, _) => self.has_trivial_destructor(element.id),
            Type::Class(class) => self.program.class(class).destructor == crate::hir::Destructor::Trivial,
            _ => true,
        }
    }

    /// Whether an object of the type may be copied by its bytes.
    pub(crate) fn is_trivially_copyable(&mut self, id: TypeId) -> bool {
        match *self.program.types.get(id) {
            Type::Array(element, _) => self.is_trivially_copyable(element.id),
            Type::Class(class) => self.complete_type(id) && self.program.class(class).trivially_copyable,
            Type::Vector(..) => true,
            _ => self.program.types.is_scalar(id),
        }
    }

    fn is_trivial_type(&mut self, id: TypeId, span: Span) -> bool {
        let mut element = id;
        while let Type::Array(inner, _) = *self.program.types.get(element) {
            element = inner.id;
        }
        if !self.is_trivially_copyable(element) {
            return false;
        }
        let Some(class) = self.program.types.as_class(element) else {
            return true;
        };
        let _ = span;
        self.special_member(class, SpecialMember::DefaultConstructor)
            .is_some_and(|function| self.program.function(function).is_trivial)
    }

    /// [class.prop]/3, roughly: no virtual parts, one access for all fields, fields in one class of the hierarchy, no references.
    fn is_standard_layout(&mut self, id: TypeId) -> bool {
        match *self.program.types.get(id) {
            Type::Array(element, _) => self.is_standard_layout(element.id),
            Type::Class(class) => self.complete_type(id) && self.has_standard_layout(class),
            Type::Vector(..) => true,
            _ => self.program.types.is_scalar(id),
        }
    }

    fn has_standard_layout(&mut self, class: ClassId) -> bool {
        let node = self.program.class(class);
        let info = self.class_info(class);
        let one_access = info.fields.windows(2).all(|pair| pair[0].access == pair[1].access);
        let virtual_base = node.bases.iter().any(|base| base.is_virtual);
        if info.polymorphic || virtual_base || !one_access {
            return false;
        }
        let bases: Vec<ClassId> = node.bases.iter().map(|base| base.class).collect();
        let fields: Vec<QualifiedType> = node.fields.iter().map(|field| field.ty).collect();
        let with_fields = bases
            .iter()
            .filter(|&&base| !self.program.class(base).layout.empty)
            .count();
        if with_fields > usize::from(fields.is_empty()) {
            return false;
        }
        bases.into_iter().all(|base| self.has_standard_layout(base))
            && fields.into_iter().all(|field| self.is_standard_layout(field.id))
    }

    /// Whether there can be constants of the type ([basic.types]/10).
    fn is_literal(&mut self, id: TypeId) -> bool {
        match *self.program.types.get(id) {
            Type::Void | Type::LValueReference(_) | Type::RValueReference(_) | Type::Vector(..) => true,
            Type::Array(element, _) => self.is_literal(element.id),
            Type::Class(class) => {
                if !self.complete_type(id) || !self.has_trivial_destructor(id) {
                    return false;
                }
                if self.program.class(class).aggregate || self.program.class(class).lambda.is_some() {
                    return true;
                }
                self.constructors(class)
                    .iter()
                    .any(|candidate| match candidate.callable {
                        Callable::Function(function) => self.is_constexpr_constructor(function),
                        Callable::Template(_) => true,
                    })
            }
            _ => self.program.types.is_scalar(id),
        }
    }

    /// Whether a constructor is `constexpr` and no copy or move constructor.
    fn is_constexpr_constructor(&self, function: FunctionId) -> bool {
        let special = self.function_info(function).special;
        let copies = matches!(
            special,
            Some(SpecialMember::CopyConstructor | SpecialMember::MoveConstructor)
        );
        !copies && (self.program.function(function).is_constexpr || self.program.function(function).is_trivial)
    }

    fn has_unique_representations(&mut self, id: TypeId) -> bool {
        match *self.program.types.get(id) {
            Type::Array(element, _) => self.has_unique_representations(element.id),
            Type::Class(class) => {
                if !self.is_trivially_copyable(id) {
                    return false;
                }
                let node = self.program.class(class);
                let size = node.layout.size;
                let bases: Vec<ClassId> = node.bases.iter().map(|base| base.class).collect();
                let fields: Vec<(QualifiedType, Option<u32>)> =
                    node.fields.iter().map(|field| (field.ty, field.bit_width)).collect();
                if node.kind == ClassKind::Union {
                    return fields
                        .iter()
                        .all(|&(ty, _)| self.program.size_of(ty.id) == size && self.has_unique_representations(ty.id));
                }
                let mut bits = 0;
                for base in bases {
                    let ty = self.program.types.class(base);
                    if !self.program.class(base).layout.empty {
                        bits += self.program.size_of(ty) * 8;
                        if !self.has_unique_representations(ty) {
                            return false;
                        }
                    }
                }
                for (ty, width) in fields {
                    bits += width.map_or_else(|| self.program.size_of(ty.id) * 8, u64::from);
                    if !self.has_unique_representations(ty.id) {
                        return false;
                    }
                }
                bits == size * 8
            }
            Type::Float(_) | Type::Vector(..) | Type::NullPointer => false,
            _ => self.program.types.is_scalar(id),
        }
    }

    /// Whether a typed expression does nothing but trivial operations: construction and assignment as the type traits ask for it.
    fn is_trivial_value(&self, expression: ExpressionId) -> bool {
        let own = match &self.program.expression(expression).kind {
            ExpressionKind::Call { .. }
            | ExpressionKind::Construct { .. }
            | ExpressionKind::New { .. }
            | ExpressionKind::Builtin { .. } => false,
            ExpressionKind::Materialise { destructor, .. } => destructor.is_none(),
            _ => true,
        };
        own && self
            .operands_of(expression)
            .into_iter()
            .all(|operand| self.is_trivial_value(operand))
    }

    /// Whether a reference of type `to` initialised from `from` would refer to a temporary made for it.
    fn binds_to_temporary(&mut self, to: QualifiedType, from: QualifiedType, span: Span) -> bool {
        if !self.program.types.is_reference(to.id) {
            return false;
        }
        let operand = Operand::Expression(self.declared_value(from, span));
        match self.implicit_sequence(&operand, to, Permit::DIRECT) {
            Some(sequence) => match &sequence.kind {
                crate::sema::conversion::implicit::SequenceKind::Standard(standard) => {
                    !standard.binding.is_none_or(|binding| binding.direct)
                }
                crate::sema::conversion::implicit::SequenceKind::User(user) => {
                    !user.after.binding.is_some_and(|binding| binding.direct)
                }
                _ => false,
            },
            None => false,
        }
    }
}
