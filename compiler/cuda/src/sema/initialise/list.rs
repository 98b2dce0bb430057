//! List-initialisation ([dcl.init.list]).

use crate::hir::{
    CastKind, ClassId, Constant, ExpressionId, ExpressionKind, FloatKind, QualifiedType, Type, TypeId, Types,
};
use crate::sema::Sema;
use crate::sema::conversion::arithmetic::{integer_kind, integer_range_fits};
use crate::sema::conversion::implicit::Permit;
use crate::sema::conversion::standard::{is_derived_from, reference_related};
use crate::sema::entity::Found;
use crate::sema::expression::{ListOperand, Operand};
use crate::sema::overload::{Callee, Resolution};
use crate::sema::template::{GivenArgument, GivenArguments};

use super::NarrowingPolicy;
use crate::source::{Report, Span, Warning};

impl<'a> Sema<'a> {
    /// Initialises an object or reference from a list ([dcl.init.list]/3). Direct if `permit` allows explicit conversions.
    pub(crate) fn initialise_by_list(
        &mut self,
        target: QualifiedType,
        list: &ListOperand<'a>,
        permit: Permit,
        what: &str,
    ) -> ExpressionId {
        let span = list.span;
        if list
            .clauses
            .iter()
            .any(|clause| self.operand_is_poisoned(&clause.value))
            || target.id == Types::ERROR
        {
            return self.poison(span);
        }
        match *self.program.types.get(target.id) {
            Type::LValueReference(to) | Type::RValueReference(to) => {
                self.list_for_reference(target, to, list, permit, what)
            }
            Type::Array(..) => self.list_for_array(target, list, what),
            Type::Class(class) => self.list_for_class(class, target, list, permit, what),
            Type::Vector(..) => self.list_for_array(target, list, what),
            _ => self.list_for_scalar(target, list, permit, what),
        }
    }

    fn list_for_reference(
        &mut self,
        target: QualifiedType,
        to: QualifiedType,
        list: &ListOperand<'a>,
        permit: Permit,
        what: &str,
    ) -> ExpressionId {
        if let Some(element @ Operand::Expression(expression)) = list.single() {
            self.complete_type(self.type_of(*expression).id);
            if reference_related(&self.program, self.type_of(*expression), to).is_some() {
                return self.convert_permitted(element, target, permit, what);
            }
        }
        let is_lvalue_reference = matches!(self.program.types.get(target.id), Type::LValueReference(_));
        if is_lvalue_reference && (!self.program.types.qualifiers_of(to).is_const()) {
            let message = format!(
                "cannot initialize {what}: {} cannot be bound to a temporary made of a list",
                self.quote(target)
            );
            return self.fail(list.span, message);
        }
        let value = self.initialise_by_list(
            to,
            list,
            Permit {
                explicit: false,
                ..permit
            },
            what,
        );
        self.materialised(value)
    }

    fn list_for_array(&mut self, target: QualifiedType, list: &ListOperand<'a>, what: &str) -> ExpressionId {
        if let Some(&Operand::Expression(expression)) = list.single()
            && let Some(string) = self.string_for_array(target, expression, what)
        {
            return string;
        }
        self.initialise_aggregate(target, list, what)
    }

    fn list_for_class(
        &mut self,
        class: ClassId,
        target: QualifiedType,
        list: &ListOperand<'a>,
        permit: Permit,
        what: &str,
    ) -> ExpressionId {
        let span = list.span;
        if !self.require_complete(target.id, span, "object of") {
            return self.poison(span);
        }
        let is_aggregate = self.program.class(class).aggregate;
        if let Some(element @ Operand::Expression(expression)) = list.single() {
            let from = self.program.types.as_class(self.type_of(*expression).id);
            if is_aggregate && from.is_some_and(|from| from == class || is_derived_from(&self.program, from, class)) {
                return self.convert_permitted(element, target, permit, what);
            }
        }
        if let Some(element) = self.initializer_list_element(target.id) {
            return self.make_initializer_list(class, target, element, list);
        }
        if is_aggregate {
            return self.initialise_aggregate(target, list, what);
        }
        self.list_by_constructor(class, target, list, permit, what)
    }

    /// By a constructor ([over.match.list]); empty lists value-initialise where there is a default constructor.
    fn list_by_constructor(
        &mut self,
        class: ClassId,
        target: QualifiedType,
        list: &ListOperand<'a>,
        permit: Permit,
        what: &str,
    ) -> ExpressionId {
        let span = list.span;
        if let Some(clause) = list.clauses.iter().find(|clause| !clause.designators.is_empty()) {
            let message = format!(
                "designators cannot initialize {}, which is no aggregate",
                self.quote(target)
            );
            return self.fail(clause.span, message);
        }
        match self.resolve_list_constructor(list, class, span) {
            Resolution::Best(best) => {
                let Callee::Function(function) = best.callee else {
                    return self.poison(span);
                };
                if !permit.explicit && self.program.function(function).is_explicit {
                    let message = format!("cannot initialize {what} from a list: the constructor chosen is explicit");
                    let declared = self.program.function(function).span;
                    let note = format!("{} is declared here", self.describe_function(function));
                    return self.fail_with(Report::error(span, message).note_at(declared, note));
                }
                if list.clauses.is_empty() {
                    return self.value_initialise(target, span, what);
                }
                let whole = best.sequences.len() == 1
                    && best.sequences[0]
                        .as_ref()
                        .is_some_and(|sequence| sequence.to_initializer_list);
                let operands: Vec<Operand<'a>> = if whole {
                    vec![Operand::List(std::rc::Rc::new(list.clone()))]
                } else {
                    list.clauses.iter().map(|clause| clause.value.clone()).collect()
                };
                if !whole {
                    self.check_narrowing_arguments(function, &operands);
                }
                if let Some(candidate) = &best.candidate {
                    self.check_candidate_access(candidate, span);
                }
                let value = self.construct(class, function, &operands, &best.sequences, span);
                self.retyped(value, target)
            }
            Resolution::Ambiguous(functions) => {
                let text = format!("the initialization of {what} from a list");
                self.report_ambiguous(span, &text, &functions);
                self.poison(span)
            }
            Resolution::None(rejected) => {
                let operands: Vec<Operand<'a>> = list.clauses.iter().map(|clause| clause.value.clone()).collect();
                let text = format!("a constructor of {}", self.quote(target));
                self.report_no_match(span, &text, &operands, &rejected);
                self.poison(span)
            }
        }
    }

    fn check_narrowing_arguments(&mut self, function: crate::hir::FunctionId, operands: &[Operand<'a>]) {
        let Some(signature) = self.program.types.as_function(self.program.function(function).ty) else {
            return;
        };
        let parameters = signature.parameters.clone();
        for (operand, parameter) in operands.iter().zip(parameters) {
            if let &Operand::Expression(expression) = operand {
                let to = self.program.types.strip_reference(parameter);
                self.check_narrowing(expression, to.id);
            }
        }
    }

    /// A scalar from a list: its only element without narrowing, or zero ([dcl.init.list]/3.8 to 3.11).
    fn list_for_scalar(
        &mut self,
        target: QualifiedType,
        list: &ListOperand<'a>,
        permit: Permit,
        what: &str,
    ) -> ExpressionId {
        let span = list.span;
        if list.clauses.is_empty() {
            return self.value_initialise(target, span, what);
        }
        let Some(element) = list.single() else {
            let message = format!(
                "cannot initialize {what}: {} takes one value, but the list has {}",
                self.quote(target),
                list.clauses.len()
            );
            return self.fail(span, message);
        };
        if let Operand::List(inner) = element {
            let inner = inner.clone();
            if inner.clauses.len() <= 1 {
                return self.list_for_scalar(target, &inner, permit, what);
            }
        }
        if let &Operand::Expression(expression) = element {
            if let Some(value) = self.list_for_enumeration(target, expression, permit) {
                return value;
            }
            let value = self.convert_permitted(element, target, permit, what);
            if !self.is_poisoned(value) {
                self.check_narrowing(expression, target.id);
            }
            return value;
        }
        self.convert_permitted(element, target, permit, what)
    }

    /// `E{1}` for an enumeration with a fixed underlying type ([dcl.init.list]/3.8).
    fn list_for_enumeration(
        &mut self,
        target: QualifiedType,
        expression: ExpressionId,
        permit: Permit,
    ) -> Option<ExpressionId> {
        let enumeration = self.program.types.as_enum(target.id)?;
        let (fixed, underlying) = (
            self.program.enumeration(enumeration).fixed,
            self.program.enumeration(enumeration).underlying,
        );
        let from = self.type_of(expression).id;
        if !fixed || !permit.explicit || from == target.id || !self.program.types.is_arithmetic(from) {
            return None;
        }
        let value = self.convert_expression(expression, underlying, "an enumeration");
        self.check_narrowing(expression, underlying);
        Some(self.cast(CastKind::Integral, value, target.unqualified()))
    }

    /// An `std::initializer_list` over an array that the list makes ([dcl.init.list]/5): its two members are where the array begins and how long it is.
    fn make_initializer_list(
        &mut self,
        class: ClassId,
        target: QualifiedType,
        element: QualifiedType,
        list: &ListOperand<'a>,
    ) -> ExpressionId {
        let span = list.span;
        let count = list.clauses.len() as u64;
        let mut elements = Vec::with_capacity(list.clauses.len());
        for clause in &list.clauses {
            let value = self.convert(&clause.value, element, "an element of the list");
            if let &Operand::Expression(expression) = &clause.value
                && !self.is_poisoned(value)
            {
                self.check_narrowing(expression, element.id);
            }
            elements.push(value);
        }
        let constant = self.program.types.qualify(element, crate::hir::Qualifiers::CONST);
        let fields: Vec<TypeId> = self
            .program
            .class(class)
            .fields
            .iter()
            .map(|field| field.ty.id)
            .collect();
        let pointer = self.program.types.pointer(constant);
        let begin = if count == 0 {
            self.value(ExpressionKind::Zero, pointer, span)
        } else {
            let array = self.program.types.array(constant, Some(count));
            let array = self.value(ExpressionKind::Array { elements, filler: None }, array, span);
            let array = self.materialised(array);
            self.cast(CastKind::ArrayToPointer, array, pointer)
        };
        let &[first, second] = &fields[..] else {
            return self.fail(
                span,
                "this `std::initializer_list` is not laid out as a pointer and a length",
            );
        };
        if first != pointer || !self.program.types.is_integral(second) {
            return self.fail(
                span,
                "this `std::initializer_list` is not laid out as a pointer and a length",
            );
        }
        let length = self.integer(i128::from(count), second, span);
        let fields = vec![(crate::hir::FieldIndex(0), begin), (crate::hir::FieldIndex(1), length)];
        self.value(
            ExpressionKind::Aggregate {
                bases: Vec::new(),
                fields,
            },
            target,
            span,
        )
    }

    /// Reports a narrowing conversion in a list ([dcl.init.list]/7): an error or a warning as the policy in force says. Where deduction asks whether there is
    /// such a list, it is none.
    pub(crate) fn check_narrowing(&mut self, expression: ExpressionId, to: TypeId) {
        let policy = match self.narrowing {
            NarrowingPolicy::Warn | NarrowingPolicy::WarnUnlessConstant if self.immediate_traps > 0 => {
                NarrowingPolicy::Reject
            }
            policy => policy,
        };
        if policy == NarrowingPolicy::Ignore {
            return;
        }
        let from = self.type_of(expression).id;
        // CUDA's compiler lets every number be a truth value.
        if self.program.types.is_integral(from) && to == Types::BOOL {
            return;
        }
        let Some(what) = self.narrowing(expression, from, to) else {
            return;
        };
        let span = self.span_of(expression);
        let to_float = self.program.types.is_floating(to);
        let target = to;
        let (from, to) = (self.quote(from), self.quote(to));
        let message = match &what {
            Narrowing::Integer(value) => {
                format!("the value {value} does not fit {to}: a list does not narrow {from} to {to}")
            }
            Narrowing::Floating(value) => {
                format!("the value {value} does not fit {to}: a list does not narrow {from} to {to}")
            }
            Narrowing::Type => format!("a list narrows {from} to {to}"),
        };
        if policy == NarrowingPolicy::Reject {
            self.emit(Report::error(span, message));
            return;
        }
        if policy == NarrowingPolicy::WarnUnlessConstant && !matches!(what, Narrowing::Type) {
            return;
        }
        let warning = match what {
            Narrowing::Integer(_) if to_float => Warning::InexactNarrowing,
            // A number written by its bits is meant as these.
            Narrowing::Integer(value) if self.is_same_bits(value, target) => match self.written_by_bits(span) {
                true => return,
                false => Warning::SignChange,
            },
            Narrowing::Integer(_) => Warning::Truncation,
            Narrowing::Floating(_) | Narrowing::Type => Warning::Narrowing,
        };
        let report = Report::warning(span, message).note("a cast says that this is meant");
        self.emit(report.numbered(warning));
    }

    fn narrowing(&mut self, expression: ExpressionId, from: TypeId, to: TypeId) -> Option<Narrowing> {
        let types = &self.program.types;
        let integer = |id: TypeId| types.is_integral(id) || integer_kind(&self.program, id).is_some();
        match (types.get(from), types.get(to)) {
            (&Type::Float(a), &Type::Float(b)) => {
                // CUDA's compiler takes constants beyond the range, too.
                let constant = |sema: &mut Self| {
                    let value = sema.load(expression);
                    sema.try_evaluate(value).is_some()
                };
                (a.rank() > b.rank() && !constant(self)).then_some(Narrowing::Type)
            }
            (Type::Float(_), _) if types.is_integral(to) => Some(
                self.constant_text(expression)
                    .map_or(Narrowing::Type, Narrowing::Floating),
            ),
            (Type::Pointer(_) | Type::MemberPointer { .. }, Type::Bool) => Some(Narrowing::Type),
            (_, &Type::Float(kind)) if integer(from) => match self.constant_integer_value(expression) {
                Some(value) if fits_mantissa(value, kind) => None,
                Some(value) => Some(Narrowing::Integer(value)),
                None => Some(Narrowing::Type),
            },
            _ if integer(from) && types.is_integral(to) => {
                if integer_range_fits(&self.program, from, to) {
                    return None;
                }
                match self.constant_integer_value(expression) {
                    Some(value) if self.value_fits(value, to) => None,
                    Some(value) => Some(Narrowing::Integer(value)),
                    None => Some(Narrowing::Type),
                }
            }
            _ => None,
        }
    }

    /// Whether a constant is written in hexadecimal, octal or binary.
    pub(in crate::sema) fn written_by_bits(&self, span: Span) -> bool {
        let map = &self.context.map;
        let Some((text, bytes)) = map.bytes(Span::of(map.spelling(span.first))) else {
            return false;
        };
        let rest = text.text().get(bytes.start..).unwrap_or_default().as_bytes();
        rest.first() == Some(&b'0')
            && rest
                .get(1)
                .is_some_and(|&digit| digit.is_ascii_digit() || b"xXbB".contains(&digit))
    }

    /// Whether a value that does not fit a type loses nothing but the sense of its highest bit.
    fn is_same_bits(&self, value: i128, to: TypeId) -> bool {
        let bits = integer_kind(&self.program, to).map_or(0, |kind| kind.bits());
        same_bits(value, bits)
    }

    fn constant_integer_value(&mut self, expression: ExpressionId) -> Option<i128> {
        let value = self.load(expression);
        self.try_evaluate(value)?.as_integer()
    }

    fn constant_text(&mut self, expression: ExpressionId) -> Option<String> {
        let value = self.load(expression);
        match (
            self.try_evaluate(value)?,
            self.program.types.get(self.type_of(expression).id),
        ) {
            (Constant::Float(bits), Type::Float(FloatKind::Float)) => Some(f32::from_bits(bits as u32).to_string()),
            (Constant::Float(bits), Type::Float(FloatKind::Double | FloatKind::LongDouble | FloatKind::Float128)) => {
                Some(f64::from_bits(bits).to_string())
            }
            _ => None,
        }
    }

    /// Whether a value is one of an integer type or `bool`.
    pub(crate) fn value_fits(&self, value: i128, to: TypeId) -> bool {
        match (self.program.types.get(to), integer_kind(&self.program, to)) {
            (Type::Bool, _) => value == 0 || value == 1,
            (_, Some(kind)) => kind.wrap(value) == value && (kind.is_signed() || value >= 0),
            _ => true,
        }
    }
}

/// How a conversion narrows.
enum Narrowing {
    /// An integer constant, which does not fit.
    Integer(i128),
    /// A floating constant for an integer.
    Floating(String),
    /// By its types.
    Type,
}

/// Whether an integer is exactly a number of the floating type.
fn fits_mantissa(value: i128, kind: FloatKind) -> bool {
    let digits = match kind {
        FloatKind::Half => 11,
        FloatKind::BFloat16 => 8,
        FloatKind::Float => 24,
        FloatKind::Double | FloatKind::LongDouble | FloatKind::Float128 => 53,
    };
    let magnitude = value.unsigned_abs();
    magnitude == 0 || 128 - magnitude.leading_zeros() - magnitude.trailing_zeros() <= digits
}

impl<'a> Sema<'a> {
    /// Whether a list can initialise an aggregate class: used to form conversion sequences. The clauses are only counted and tried in order.
    pub(crate) fn can_initialise_aggregate(&mut self, list: &ListOperand<'a>, class: ClassId) -> bool {
        let ty = self.program.types.class(class);
        let list = list.clone();
        self.with_narrowing(NarrowingPolicy::Ignore, |sema| {
            sema.trying(|sema| sema.initialise_aggregate(ty.into(), &list, "the argument"))
                .is_ok()
        })
    }

    /// `std::initializer_list<element>`, if the program has that template.
    pub(crate) fn initializer_list_of(&mut self, element: QualifiedType) -> Option<QualifiedType> {
        let std = match self
            .lookup_qualified(crate::sema::ScopeId::GLOBAL, crate::source::names::STD)
            .found
        {
            Found::Namespace(scope) => scope,
            _ => return None,
        };
        let Found::Template(template) = self.lookup_qualified(std, crate::source::names::INITIALIZER_LIST).found else {
            return None;
        };
        let argument = GivenArgument::Known(crate::hir::TemplateArgument::Type(element));
        let given = GivenArguments {
            list: std::rc::Rc::from([argument]),
            span: crate::source::Span::NONE,
        };
        self.specialise_type(template, &given)
    }
}

/// Whether a number that does not fit so many bits loses nothing but the sense of the highest.
pub(in crate::sema) fn same_bits(value: i128, bits: u32) -> bool {
    let outside = value >> bits.min(127);
    outside == 0 || (outside == -1 && value >> (bits.max(1) - 1) == -1)
}
