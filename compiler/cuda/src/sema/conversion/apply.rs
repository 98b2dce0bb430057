//! The expressions that conversion sequences stand for.

use crate::hir::{
    CastKind, ClassId, Comparison, ExpressionId, ExpressionKind, FunctionId, QualifiedType, Type, TypeId, Types,
    ValueCategory,
};
use crate::sema::Sema;
use crate::sema::entity::{Callable, Candidate, SpecialMember};
use crate::sema::expression::{Operand, Overloads};
use crate::sema::overload::{Callee, Resolution};
use crate::source::{Report, Span};

use super::implicit::{Permit, Sequence, SequenceKind, User};
use super::standard::{BasePath, First, Second, Standard, base_path, reference_compatible};

/// Whose access counts where an object is taken for one of its base.
#[derive(Clone, Copy)]
enum BaseAccess {
    /// The base's.
    Checked,
    /// That of the member that is named, which is checked elsewhere.
    OfMember,
}

impl<'a> Sema<'a> {
    /// Converts an operand to a type as copy-initialisation does ([dcl.init]/14), with a message if that cannot be: a prvalue of the type, or a glvalue for a
    /// reference. `what` is initialised: ``argument 1``.
    pub(crate) fn convert(&mut self, operand: &Operand<'a>, to: QualifiedType, what: &str) -> ExpressionId {
        self.convert_permitted(operand, to, Permit::IMPLICIT, what)
    }

    /// The same where explicit conversions may be allowed.
    pub(crate) fn convert_permitted(
        &mut self,
        operand: &Operand<'a>,
        to: QualifiedType,
        permit: Permit,
        what: &str,
    ) -> ExpressionId {
        let span = self.operand_span(operand);
        if self.operand_is_poisoned(operand) || to.id == Types::ERROR {
            return self.poison(span);
        }
        if let Operand::List(list) = operand {
            let list = list.clone();
            return self.initialise_by_list(to, &list, permit, what);
        }
        match self.implicit_sequence(operand, to, permit) {
            Some(sequence) => self.apply(operand, &sequence, to, what),
            None => {
                self.report_no_conversion(operand, to, what);
                self.poison(span)
            }
        }
    }

    /// Converts a typed expression, which is known to convert, or says why not.
    pub(crate) fn convert_expression(
        &mut self,
        expression: ExpressionId,
        to: impl Into<QualifiedType>,
        what: &str,
    ) -> ExpressionId {
        self.convert(&Operand::Expression(expression), to.into(), what)
    }

    /// What a sequence makes of its operand.
    pub(crate) fn apply(
        &mut self,
        operand: &Operand<'a>,
        sequence: &Sequence,
        to: QualifiedType,
        what: &str,
    ) -> ExpressionId {
        let span = self.operand_span(operand);
        if self.operand_is_poisoned(operand) || to.id == Types::ERROR {
            return self.poison(span);
        }
        if let Operand::List(list) = operand {
            let list = list.clone();
            return self.initialise_by_list(to, &list, Permit::IMPLICIT, what);
        }
        match &sequence.kind {
            SequenceKind::Standard(standard) => {
                let expression = match operand {
                    Operand::Overloads(overloads) => self.chosen_overload(overloads, to),
                    &Operand::Expression(expression) => expression,
                    Operand::List(_) => return self.poison(span),
                };
                self.apply_to(expression, standard, to)
            }
            SequenceKind::User(user) => self.apply_user(operand, user, to, what),
            SequenceKind::Ambiguous(functions) => {
                let functions = functions.clone();
                let message = format!(
                    "the conversion of {} to {}",
                    self.describe_operand(operand),
                    self.quote(to)
                );
                self.report_ambiguous(span, &message, &functions);
                self.poison(span)
            }
            SequenceKind::Ellipsis => {
                let &Operand::Expression(expression) = operand else {
                    return self.poison(span);
                };
                self.promote_argument(expression)
            }
        }
    }

    /// The lvalue (or member pointer) of the function that an overloaded name means where a type is wanted.
    fn chosen_overload(&mut self, overloads: &Overloads<'a>, to: QualifiedType) -> ExpressionId {
        let referent = self.program.types.strip_reference(to);
        let (wanted, class) = match *self.program.types.get(referent.id) {
            Type::Pointer(pointee) => (pointee.id, None),
            Type::MemberPointer { class, pointee } => (pointee.id, Some(class)),
            Type::Function(_) => (referent.id, None),
            _ => (referent.id, None),
        };
        let chosen = if self.program.types.as_function(wanted).is_some() {
            self.overload_for_type(overloads, wanted, class)
        } else {
            None
        };
        let Some(function) = chosen.or_else(|| self.only_function(overloads)) else {
            return self.poison(overloads.span);
        };
        if chosen.is_none() && self.program.function(function).has_this {
            return self.settle_overloads(overloads);
        }
        if class.is_some() {
            self.use_function(function, overloads.span);
            // A result that is `auto` is known from here on.
            self.result_type(function, overloads.span);
            let ty = self.program.function(function).ty;
            let own = self.function_class(function);
            let Some(own) = own else {
                return self.poison(overloads.span);
            };
            let pointer = self.program.types.member_pointer(own, ty);
            return self.value(ExpressionKind::MemberPointerFunction(function), pointer, overloads.span);
        }
        let lvalue = self.function_lvalue(function, overloads.span);
        // A reference to a pointer is bound to the address that is taken.
        let is_pointer = matches!(self.program.types.get(referent.id), Type::Pointer(_));
        match overloads.address && is_pointer && referent != to {
            true => self.address_of(lvalue, overloads.span),
            false => lvalue,
        }
    }

    /// A user-defined conversion.
    fn apply_user(&mut self, operand: &Operand<'a>, user: &User, to: QualifiedType, what: &str) -> ExpressionId {
        let span = self.operand_span(operand);
        let Some(function) = user.function else {
            return self.poison(span);
        };
        let is_constructor = self.program.function(function).name == crate::hir::FunctionName::Constructor;
        let result = if is_constructor {
            let Some(class) = self.constructed_class(function, to) else {
                return self.poison(span);
            };
            let sequences = [Some(user.before.clone())];
            self.construct(class, function, std::slice::from_ref(operand), &sequences, span)
        } else {
            let &Operand::Expression(object) = operand else {
                return self.poison(span);
            };
            let object = self.object_for(object, function);
            self.call_function(function, Some(object), &[], &[], false, span)
        };
        let _ = what;
        self.apply_to(result, &user.after, to)
    }

    /// The class that a constructor makes an object of: its own; of an inherited one, the class wanted.
    fn constructed_class(&self, function: FunctionId, to: QualifiedType) -> Option<ClassId> {
        let wanted = self.program.types.as_class(self.program.types.strip_reference(to).id);
        wanted.or_else(|| self.function_class(function))
    }

    /// A standard conversion of a typed expression, to a reference or to a value.
    pub(crate) fn apply_to(
        &mut self,
        expression: ExpressionId,
        standard: &Standard,
        to: QualifiedType,
    ) -> ExpressionId {
        if self.is_poisoned(expression) || to.id == Types::ERROR {
            return self.poison(self.span_of(expression));
        }
        match *self.program.types.get(to.id) {
            Type::LValueReference(referent) => self.bind(expression, standard, referent, false),
            Type::RValueReference(referent) => self.bind(expression, standard, referent, true),
            Type::Class(class) => self.class_value(expression, class, to),
            _ => self.apply_standard(expression, standard),
        }
    }

    /// Binds a reference.
    fn bind(
        &mut self,
        expression: ExpressionId,
        standard: &Standard,
        referent: QualifiedType,
        rvalue_reference: bool,
    ) -> ExpressionId {
        let direct = standard.binding.is_none_or(|binding| binding.direct);
        if !direct || reference_compatible(&self.program, self.type_of(expression), referent).is_none() {
            let value = match *self.program.types.get(referent.id) {
                Type::Class(class) => self.class_value(expression, class, referent),
                _ => self.apply_standard(expression, standard),
            };
            let value = self.with_qualifiers(value, referent);
            return self.materialised(value);
        }
        if self.is_bit_field(expression) && !rvalue_reference && !referent.is_const() {
            let span = self.span_of(expression);
            return self.fail(span, "a reference cannot be bound to a bit field");
        }
        let object = self.materialised(expression);
        self.upcast_to(object, referent)
    }

    /// A prvalue of class or array type with other qualifiers: the object made will have them.
    fn with_qualifiers(&mut self, value: ExpressionId, ty: QualifiedType) -> ExpressionId {
        let from = self.type_of(value);
        if from == ty || self.is_poisoned(value) || self.category_of(value).is_glvalue() {
            return value;
        }
        self.cast(CastKind::NoOperation, value, ty)
    }

    /// A glvalue as one of a base class, or with other qualifiers, as a reference to it makes it.
    pub(crate) fn upcast_to(&mut self, object: ExpressionId, to: QualifiedType) -> ExpressionId {
        self.upcast(object, to, BaseAccess::Checked)
    }

    /// The object of a member that is named through it: the member's access counts, not that of the base it comes from, as a using declaration may give it another
    /// ([class.access.base]/5).
    pub(crate) fn base_object_of_member(&mut self, object: ExpressionId, to: QualifiedType) -> ExpressionId {
        self.upcast(object, to, BaseAccess::OfMember)
    }

    fn upcast(&mut self, object: ExpressionId, to: QualifiedType, access: BaseAccess) -> ExpressionId {
        if self.is_poisoned(object) {
            return object;
        }
        let (from, category) = (self.type_of(object), self.category_of(object));
        let classes = (self.program.types.as_class(from.id), self.program.types.as_class(to.id));
        let mut object = object;
        if let (Some(derived), Some(base)) = classes
            && derived != base
        {
            let span = self.span_of(object);
            let path = match access {
                BaseAccess::Checked => self.checked_base_path(derived, base, span),
                BaseAccess::OfMember => self.single_base_path(derived, base, span),
            };
            let Some(path) = path else {
                return self.poison(span);
            };
            let ty = QualifiedType {
                id: to.id,
                qualifiers: from.qualifiers,
            };
            object = self.cast_glvalue(CastKind::DerivedToBase(path), object, ty, category);
        }
        if self.type_of(object) != to {
            object = self.cast_glvalue(CastKind::NoOperation, object, to, category);
        }
        object
    }

    /// The way to a base class, with a message if it is ambiguous or not accessible.
    pub(crate) fn checked_base_path(&mut self, derived: ClassId, base: ClassId, span: Span) -> Option<Vec<ClassId>> {
        let path = self.single_base_path(derived, base, span)?;
        (path.is_empty() || self.check_base_access(&path, derived, span)).then_some(path)
    }

    /// The way to a base class, with a message if it is ambiguous.
    fn single_base_path(&mut self, derived: ClassId, base: ClassId, span: Span) -> Option<Vec<ClassId>> {
        let names = |sema: &mut Self| {
            let (derived, base) = (sema.program.types.class(derived), sema.program.types.class(base));
            (sema.quote(derived), sema.quote(base))
        };
        match base_path(&self.program, derived, base) {
            BasePath::Unique(path) => Some(path),
            BasePath::Ambiguous => {
                let (derived, base) = names(self);
                self.context.error(
                    span,
                    format!("the base {base} of {derived} is ambiguous: it is there more than once"),
                );
                None
            }
            BasePath::None => {
                let (derived, base) = names(self);
                self.context.error(span, format!("{base} is no base of {derived}"));
                None
            }
        }
    }

    /// A prvalue of a class from an expression of it or of a derived class: a prvalue as it is, else a copy or move.
    pub(crate) fn class_value(&mut self, expression: ExpressionId, class: ClassId, to: QualifiedType) -> ExpressionId {
        if self.is_poisoned(expression) {
            return expression;
        }
        let from = self.type_of(expression);
        let same = self.program.types.as_class(from.id) == Some(class);
        if same && !self.category_of(expression).is_glvalue() {
            return self.with_qualifiers(expression, to);
        }
        let glvalue = self.materialised(expression);
        self.construct_from(
            class,
            &[Operand::Expression(glvalue)],
            Permit::DIRECT,
            self.span_of(expression),
        )
    }

    /// Direct-initialisation of a class by a constructor ([dcl.init]/17.6.1, [over.match.ctor]).
    pub(crate) fn construct_from(
        &mut self,
        class: ClassId,
        operands: &[Operand<'a>],
        permit: Permit,
        span: Span,
    ) -> ExpressionId {
        let ty = self.program.types.class(class);
        if self.complex_class(ty.into()).is_some()
            && let [Operand::Expression(operand)] = operands
            && self.type_of(*operand).id != ty
        {
            return self.complex_arithmetic(span);
        }
        let candidates: Vec<Candidate> = self.constructor_candidates(class);
        let mut resolution = self.resolve_constructors(&candidates, operands, permit, span);
        // As nvcc has it: `X x({1, 2})` copies an `X` made of the list only if no other constructor takes the list.
        if let (Resolution::Ambiguous(_), [Operand::List(_)]) = (&resolution, operands) {
            let others: Vec<Candidate> = candidates
                .iter()
                .filter(|candidate| match candidate.callable {
                    Callable::Function(function) => !matches!(
                        self.function_info(function).special,
                        Some(SpecialMember::CopyConstructor | SpecialMember::MoveConstructor)
                    ),
                    Callable::Template(_) => true,
                })
                .cloned()
                .collect();
            let again = self.resolve_constructors(&others, operands, permit, span);
            if matches!(again, Resolution::Best(_)) {
                resolution = again;
            }
        }
        match resolution {
            Resolution::Best(best) => {
                let Callee::Function(function) = best.callee else {
                    return self.poison(span);
                };
                if let Some(candidate) = &best.candidate {
                    self.check_candidate_access(candidate, span);
                }
                self.construct(class, function, operands, &best.sequences, span)
            }
            Resolution::Ambiguous(functions) => {
                let what = self.constructor_text(class);
                self.report_ambiguous(span, &what, &functions);
                self.poison(span)
            }
            Resolution::None(rejected) => {
                let what = self.constructor_text(class);
                if rejected.is_empty() {
                    if !operands.iter().any(|operand| self.operand_is_poisoned(operand)) {
                        self.context.error(span, format!("{what} does not exist"));
                    }
                } else {
                    self.report_no_match(span, &what, operands, &rejected);
                }
                self.poison(span)
            }
        }
    }

    fn constructor_text(&mut self, class: ClassId) -> String {
        let ty = self.program.types.class(class);
        format!("a constructor of {}", self.quote(ty))
    }

    /// An object made by a constructor that is chosen. Trivial ones are what they stand for.
    pub(crate) fn construct(
        &mut self,
        class: ClassId,
        constructor: FunctionId,
        operands: &[Operand<'a>],
        sequences: &[Option<Sequence>],
        span: Span,
    ) -> ExpressionId {
        if !self.use_constructor(constructor, span) {
            return self.poison(span);
        }
        let ty = self.program.types.class(class);
        let arguments = self.call_arguments(constructor, operands, sequences, span);
        if self.program.function(constructor).is_trivial {
            return match arguments.first() {
                None => self.value(ExpressionKind::Uninitialised, ty, span),
                Some(&object) if self.is_poisoned(object) => object,
                Some(&object) => self.cast(CastKind::LValueToRValue, object, ty),
            };
        }
        let kind = ExpressionKind::Construct {
            constructor,
            arguments,
            zero_first: false,
        };
        self.value(kind, ty, span)
    }

    fn use_constructor(&mut self, constructor: FunctionId, span: Span) -> bool {
        self.use_function(constructor, span)
    }

    /// The arguments of a call: each converted to its parameter, default arguments for the rest, promotions for `...`.
    pub(crate) fn call_arguments(
        &mut self,
        function: FunctionId,
        operands: &[Operand<'a>],
        sequences: &[Option<Sequence>],
        span: Span,
    ) -> Vec<ExpressionId> {
        let Some(signature) = self.program.types.as_function(self.program.function(function).ty) else {
            return Vec::new();
        };
        let parameters = signature.parameters.clone();
        let mut arguments = self.convert_arguments(&parameters, operands, sequences);
        for index in operands.len()..parameters.len() {
            let default = self.default_argument(function, index, span);
            arguments.push(default);
        }
        // Who calls destroys what it passes by value.
        for parameter in parameters {
            if self.program.types.as_class(parameter.id).is_some() {
                self.destructor_of(parameter, span);
            }
        }
        arguments
    }

    /// The arguments written in a call, converted.
    pub(crate) fn convert_arguments(
        &mut self,
        parameters: &[QualifiedType],
        operands: &[Operand<'a>],
        sequences: &[Option<Sequence>],
    ) -> Vec<ExpressionId> {
        let mut arguments = Vec::with_capacity(parameters.len().max(operands.len()));
        for (index, operand) in operands.iter().enumerate() {
            let what = format!("argument {}", index + 1);
            let argument = match (parameters.get(index), sequences.get(index)) {
                (Some(&parameter), Some(Some(sequence))) => self.apply(operand, sequence, parameter, &what),
                (Some(&parameter), _) => self.convert(operand, parameter, &what),
                (None, _) => match operand {
                    &Operand::Expression(expression) => self.promote_argument(expression),
                    other => {
                        let expression = self.settle(other);
                        self.promote_argument(expression)
                    }
                },
            };
            arguments.push(argument);
        }
        arguments
    }

    /// An argument for `...` ([expr.call]/12): decayed and promoted.
    pub(crate) fn promote_argument(&mut self, expression: ExpressionId) -> ExpressionId {
        if self.is_poisoned(expression) {
            return expression;
        }
        let value = self.decay(expression);
        let ty = self.type_of(value);
        match *self.program.types.get(ty.id) {
            Type::Float(crate::hir::FloatKind::Float) => self.cast(CastKind::Floating, value, Types::DOUBLE),
            Type::Float(crate::hir::FloatKind::Half | crate::hir::FloatKind::BFloat16) => {
                self.cast(CastKind::Floating, value, Types::DOUBLE)
            }
            Type::Class(class) => {
                let ty = ty.unqualified();
                self.class_value(value, class, ty)
            }
            Type::NullPointer => {
                let pointer = self.program.types.pointer(Types::VOID);
                self.cast(CastKind::NullPointer, value, pointer)
            }
            _ => {
                let promoted = super::arithmetic::promoted(&self.program, ty.id);
                self.convert_arithmetic(value, promoted)
            }
        }
    }

    /// The object argument of a conversion function: a glvalue of the function's class. What must be accessible is the function, as a member of the object's class:
    /// a using declaration may make it so where the base is private.
    pub(crate) fn object_for(&mut self, object: ExpressionId, function: FunctionId) -> ExpressionId {
        if let Some(class) = self.program.types.as_class(self.type_of(object).id)
            && let Some(candidate) = self.conversion_candidate(class, function)
            && !self.check_candidate_access(&candidate, self.span_of(object))
        {
            return self.poison(self.span_of(object));
        }
        self.object_for_named(object, function)
    }

    /// How a class has a conversion function.
    fn conversion_candidate(&mut self, class: ClassId, function: FunctionId) -> Option<Candidate> {
        let template = self.functions[function.index()]
            .instance
            .as_ref()
            .map(|instance| instance.template);
        let is_it = |candidate: &Candidate| match candidate.callable {
            Callable::Function(one) => one == function,
            Callable::Template(one) => Some(one) == template,
        };
        let found = self.conversion_functions(class).into_iter().find(is_it)?;
        Some(Candidate {
            callable: Callable::Function(function),
            naming: Some(class),
            ..found
        })
    }

    /// The object argument of a member function that a name has found, and whose access is checked.
    pub(crate) fn object_for_named(&mut self, object: ExpressionId, function: FunctionId) -> ExpressionId {
        let object = self.materialised(object);
        match self.object_type(function) {
            Some(ty) => self.base_object_of_member(object, ty),
            None => object,
        }
    }

    /// The type of `*this` in a member function.
    fn object_type(&mut self, function: FunctionId) -> Option<QualifiedType> {
        let class = self.function_class(function)?;
        let qualifiers = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .map_or(crate::hir::Qualifiers::NONE, |ty| ty.qualifiers);
        let id = self.program.types.class(class);
        Some(QualifiedType { id, qualifiers })
    }

    /// The steps of a standard conversion to a type that is neither class nor reference.
    pub(crate) fn apply_standard(&mut self, expression: ExpressionId, standard: &Standard) -> ExpressionId {
        let to = standard.to.unqualified();
        let value = match standard.first {
            First::None => expression,
            First::LvalueToRvalue | First::ArrayToPointer | First::FunctionToPointer => self.decay(expression),
        };
        if self.is_poisoned(value) {
            return value;
        }
        let from = self.type_of(value);
        match standard.second {
            Second::None if from.id == to.id => value,
            Second::None if standard.string_to_mutable => {
                let span = self.span_of(expression);
                let message = format!("a string literal is constant: it should not become {}", self.quote(to));
                let report = crate::source::Report::warning(span, message);
                self.emit(report.numbered(crate::source::Warning::StringToPointer));
                self.cast(CastKind::Pointer, value, to)
            }
            Second::None => {
                let kind = if matches!(self.program.types.get(to.id), Type::MemberPointer { .. }) {
                    CastKind::MemberPointer
                } else {
                    CastKind::Pointer
                };
                self.cast(kind, value, to)
            }
            Second::IntegralPromotion
            | Second::FloatingPromotion
            | Second::Integral
            | Second::Floating
            | Second::FloatingToIntegral
            | Second::IntegralToFloating
            | Second::Boolean => self.convert_constant(value, to.id),
            Second::Null if self.type_of(value).id == to.id => value,
            Second::Null if to.id == Types::NULL_POINTER => {
                let span = self.span_of(value);
                self.value(ExpressionKind::Constant(crate::hir::Constant::NULL), to, span)
            }
            Second::Null => self.cast(CastKind::NullPointer, value, to),
            Second::PointerToVoid => self.cast(CastKind::Pointer, value, to),
            Second::DerivedToBasePointer => self.upcast_pointer(value, to.id),
            Second::MemberPointer => self.derive_member_pointer(value, to.id),
            Second::DerivedToBase => value,
        }
    }

    /// A pointer to a derived class as one to a base.
    fn upcast_pointer(&mut self, pointer: ExpressionId, to: TypeId) -> ExpressionId {
        let types = &self.program.types;
        let class = |id: TypeId| types.pointee(id).and_then(|pointee| types.as_class(pointee.id));
        let (Some(derived), Some(base)) = (class(self.type_of(pointer).id), class(to)) else {
            return pointer;
        };
        match self.checked_base_path(derived, base, self.span_of(pointer)) {
            Some(path) => self.cast(CastKind::DerivedToBase(path), pointer, to),
            None => self.poison(self.span_of(pointer)),
        }
    }

    /// A member pointer of a base as one of a derived class.
    fn derive_member_pointer(&mut self, pointer: ExpressionId, to: TypeId) -> ExpressionId {
        let types = &self.program.types;
        let (&Type::MemberPointer { class: base, .. }, &Type::MemberPointer { class: derived, .. }) =
            (types.get(self.type_of(pointer).id), types.get(to))
        else {
            return pointer;
        };
        match self.checked_base_path(derived, base, self.span_of(pointer)) {
            Some(path) => self.cast(CastKind::MemberPointerToDerived(path), pointer, to),
            None => self.poison(self.span_of(pointer)),
        }
    }

    /// The same for what may be a constant that the type does not have.
    pub(crate) fn convert_constant(&mut self, value: ExpressionId, to: TypeId) -> ExpressionId {
        self.check_constant_conversion(value, to);
        self.convert_arithmetic(value, to)
    }

    /// A scalar prvalue as another arithmetic type, enumeration or `bool`; nothing if the types are the same.
    pub(crate) fn convert_arithmetic(&mut self, value: ExpressionId, to: TypeId) -> ExpressionId {
        let from = self.type_of(value).id;
        if from == to || self.is_poisoned(value) {
            return value;
        }
        let types = &self.program.types;
        let kind = match (types.get(from), types.get(to)) {
            (_, Type::Bool) => CastKind::ToBool,
            (Type::Float(_), Type::Float(_)) => CastKind::Floating,
            (Type::Float(_), _) => CastKind::FloatingToIntegral,
            (_, Type::Float(_)) => CastKind::IntegralToFloating,
            _ => CastKind::Integral,
        };
        if let (CastKind::ToBool, Type::Enum(_)) = (&kind, types.get(to)) {
            let span = self.span_of(value);
            let zero = self.integer(0, from, span);
            return self.value(
                ExpressionKind::Compare(Comparison::NotEqual, value, zero),
                Types::BOOL,
                span,
            );
        }
        self.cast(kind, value, to)
    }

    /// A typed expression for an operand where no type is wanted: one function that is not overloaded is its lvalue; else a message.
    pub(crate) fn settle(&mut self, operand: &Operand<'a>) -> ExpressionId {
        match operand {
            &Operand::Expression(expression) => expression,
            Operand::Overloads(overloads) => self.settle_overloads(overloads),
            Operand::List(list) => self.fail(list.span, "an initializer list cannot stand here"),
        }
    }

    fn settle_overloads(&mut self, overloads: &Overloads<'a>) -> ExpressionId {
        let span = overloads.span;
        let Some(function) = self.only_function(overloads) else {
            let name = self.context.text(overloads.name).to_string();
            let mut report = Report::error(
                span,
                format!("`{name}` is overloaded, and nothing here says which function is meant"),
            );
            if overloads.arguments.is_some() {
                report = Report::error(
                    span,
                    format!("the template arguments of `{name}` do not say which function is meant"),
                );
            }
            return self.fail_with(report);
        };
        if self.program.function(function).has_this {
            if overloads.address && overloads.qualified {
                let Some(class) = self.function_class(function) else {
                    return self.poison(span);
                };
                self.use_function(function, span);
                self.result_type(function, span);
                let ty = self.program.function(function).ty;
                let pointer = self.program.types.member_pointer(class, ty);
                return self.value(ExpressionKind::MemberPointerFunction(function), pointer, span);
            }
            let message = format!(
                "{} is a member function: it can only be called",
                self.describe_function(function)
            );
            return self.fail(span, message);
        }
        self.result_type(function, span);
        let lvalue = self.function_lvalue(function, span);
        if overloads.address {
            self.address_of(lvalue, span)
        } else {
            lvalue
        }
    }

    /// Whether an expression is an lvalue, for operators that want one.
    pub(crate) fn is_lvalue(&self, expression: ExpressionId) -> bool {
        self.category_of(expression) == ValueCategory::LValue
    }
}
