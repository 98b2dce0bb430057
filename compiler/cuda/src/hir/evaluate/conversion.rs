//! Conversions: of values, pointers and places.

use super::super::{CastKind, ClassId, ExpressionId, IntegerKind, Type, TypeId};
use super::arithmetic::{self, Scalar, scalar};
use super::memory::{Base, Pointer, Step};
use super::value::Value;
use super::{Evaluator, Outcome};

impl Evaluator<'_> {
    /// Converts between scalar types.
    pub(super) fn convert(&self, value: Value, from: TypeId, to: TypeId) -> Outcome<Value> {
        let program = self.program;
        match (value, scalar(program, from), scalar(program, to)) {
            (Value::Undefined, ..) => self.stop("a value is used that is not initialised"),
            (Value::Integer(value), _, Some(Scalar::Bool)) => Ok(Value::boolean(value != 0)),
            (Value::Integer(value), _, Some(Scalar::Integer(kind))) => Ok(Value::Integer(kind.wrap(value))),
            (Value::Integer(value), Some(from), Some(Scalar::Float(kind))) => {
                Ok(Value::Float(arithmetic::integer_to_float(value, from, kind)))
            }
            (Value::Float(bits), Some(Scalar::Float(from)), Some(Scalar::Float(kind))) => {
                Ok(Value::Float(arithmetic::float_to_kind(bits, from, kind)))
            }
            (Value::Float(bits), Some(Scalar::Float(from)), Some(Scalar::Bool)) => {
                Ok(Value::boolean(arithmetic::is_nonzero(bits, from)))
            }
            (Value::Float(bits), Some(Scalar::Float(from)), Some(Scalar::Integer(kind))) => {
                // Where initialisers are folded, narrow types are reached by way of `int`.
                let narrow = self.folds() && kind.bits() < IntegerKind::Int.bits();
                let by = if narrow { IntegerKind::Int } else { kind };
                match arithmetic::float_to_integer(bits, from, by) {
                    Some(value) if narrow => Ok(Value::Integer(kind.wrap(value))),
                    Some(value) => Ok(Value::Integer(value)),
                    None => self.stop(format!("the number does not fit '{}'", kind.spelling())),
                }
            }
            (Value::Pointer(pointer), Some(Scalar::Integer(_)), Some(Scalar::Integer(kind))) if kind.bits() == 64 => {
                Ok(Value::Pointer(pointer))
            }
            (Value::Pointer(pointer), _, Some(Scalar::Bool)) => Ok(Value::boolean(!pointer.is_null())),
            (Value::MemberOffset(offset), _, Some(Scalar::Bool)) => Ok(Value::boolean(offset.is_some())),
            (Value::MemberFunction(function), _, Some(Scalar::Bool)) => Ok(Value::boolean(function.is_some())),
            _ => self.stop("a conversion cannot be evaluated at compile time"),
        }
    }

    pub(super) fn cast(
        &mut self,
        kind: &CastKind,
        operand: ExpressionId,
        to: TypeId,
        whole: ExpressionId,
    ) -> Outcome<Value> {
        let program = self.program;
        let from = program.type_of(operand).id;
        if program.expression(whole).category.is_glvalue() {
            return Ok(Value::Pointer(self.cast_place(kind, operand)?));
        }
        match kind {
            CastKind::LValueToRValue => {
                if matches!(program.types.get(to), Type::NullPointer) {
                    self.effects(operand)?;
                    return Ok(Value::Pointer(Pointer::NULL));
                }
                if program.type_of(operand).is_volatile() {
                    return self.stop("a volatile object is read");
                }
                let place = self.place(operand)?;
                self.span = program.expression(operand).span;
                // A copy of an object takes the parts without values as they are.
                match program.types.is_scalar(to) {
                    true => self.load(&place),
                    false => self.load_object(&place, to),
                }
            }
            CastKind::Integral
            | CastKind::Floating
            | CastKind::IntegralToFloating
            | CastKind::FloatingToIntegral
            | CastKind::ToBool => {
                let value = self.value(operand)?;
                self.span = program.expression(operand).span;
                self.convert(value, from, to)
            }
            CastKind::Pointer => self.pointer_cast(operand, from, to),
            CastKind::NullPointer => {
                self.effects(operand)?;
                Ok(self.zero(to))
            }
            CastKind::DerivedToBase(_) | CastKind::BaseToDerived(_) => match self.value(operand)? {
                Value::Pointer(pointer) if pointer.is_null() => Ok(Value::Pointer(pointer)),
                Value::Pointer(pointer) => {
                    let class = program.types.pointee(from).and_then(|to| program.types.as_class(to.id));
                    Ok(Value::Pointer(self.along(kind, pointer, class)?))
                }
                _ => self.stop("what is converted is no pointer"),
            },
            CastKind::ArrayToPointer => {
                let place = self.place(operand)?;
                Ok(Value::Pointer(self.first_element(place)))
            }
            CastKind::FunctionToPointer => Ok(Value::Pointer(self.place(operand)?)),
            CastKind::ToVoid => {
                self.effects(operand)?;
                Ok(Value::Undefined)
            }
            CastKind::Bit => {
                let value = self.value(operand)?;
                self.bit_cast(value, from, to)
            }
            CastKind::Splat => {
                let value = self.value(operand)?;
                Ok(Value::Array(Vec::new(), Box::new(value)))
            }
            CastKind::MemberPointer | CastKind::NoOperation | CastKind::Reinterpret => self.value(operand),
            CastKind::MemberPointerToDerived(path) | CastKind::MemberPointerToBase(path) => {
                let back = matches!(kind, CastKind::MemberPointerToBase(_));
                let class = match program.types.get(if back { from } else { to }) {
                    Type::MemberPointer { class, .. } => *class,
                    _ => return self.stop("what is converted is no member pointer"),
                };
                let offset = program.base_path_offset(class, path) as i64;
                let offset = if back { -offset } else { offset };
                Ok(match self.value(operand)? {
                    Value::MemberOffset(at) => Value::MemberOffset(at.map(|at| at + offset)),
                    Value::MemberFunction(function) => {
                        Value::MemberFunction(function.map(|(function, adjustment)| (function, adjustment + offset)))
                    }
                    other => other,
                })
            }
            CastKind::PointerToIntegral => match self.value(operand)? {
                Value::Pointer(Pointer {
                    base: Base::Absolute(address),
                    ..
                }) => match scalar(program, to) {
                    Some(Scalar::Integer(kind)) => Ok(Value::Integer(kind.wrap(i128::from(address)))),
                    _ => self.stop("the address of an object is not known at compile time"),
                },
                Value::Pointer(pointer) if self.folds() && self.holds_address(to) => {
                    Ok(Value::Pointer(self.address(&pointer)?))
                }
                _ => self.stop("the address of an object is not known at compile time"),
            },
            CastKind::IntegralToPointer => match self.value(operand)? {
                Value::Integer(address) => Ok(Value::Pointer(Pointer::new(Base::Absolute(address as i64)))),
                Value::Pointer(pointer) => Ok(Value::Pointer(pointer)),
                _ => self.stop("what is converted is no number"),
            },
        }
    }

    /// Reads a whole object; parts of it may have no value.
    pub(super) fn load_object(&mut self, place: &Pointer, ty: TypeId) -> Outcome<Value> {
        let class = self.program.types.as_class(ty);
        if class.is_some_and(|class| self.program.class(class).layout.empty) {
            return Ok(self.uninitialised(ty));
        }
        self.load(place)
    }

    pub(super) fn pointer_cast(&mut self, operand: ExpressionId, from: TypeId, to: TypeId) -> Outcome<Value> {
        let types = &self.program.types;
        let value = self.value(operand)?;
        let same = match (types.pointee(from), types.pointee(to)) {
            (Some(from), Some(to)) => from.id == to.id || [from.id, to.id].contains(&super::super::Types::VOID),
            _ => false,
        };
        // Arrays of known and unknown bound, functions with and without noexcept.
        let alike = matches!(
            (
                types.pointee(from).map(|ty| types.get(ty.id)),
                types.pointee(to).map(|ty| types.get(ty.id)),
            ),
            (Some(Type::Array(..)), Some(Type::Array(..)))
                | (Some(Type::Function(_)), Some(Type::Function(_)))
                | (Some(Type::Pointer(_)), Some(Type::Pointer(_)))
        );
        match &value {
            Value::Pointer(pointer) if same || alike || pointer.is_null() => Ok(value),
            Value::Pointer(pointer) if self.folds() => Ok(Value::Pointer(self.address(pointer)?)),
            _ => self.stop("a pointer is cast to another type of object"),
        }
    }

    pub(super) fn bit_cast(&self, value: Value, from: TypeId, to: TypeId) -> Outcome<Value> {
        let program = self.program;
        if from == to {
            return Ok(value);
        }
        match (value, scalar(program, from), scalar(program, to)) {
            (Value::Integer(value), Some(Scalar::Integer(_) | Scalar::Bool), Some(Scalar::Float(kind))) => {
                Ok(Value::Float(value as u64 & (u64::MAX >> (64 - kind.bits()))))
            }
            (Value::Float(bits), Some(Scalar::Float(_)), Some(Scalar::Integer(kind))) => {
                Ok(Value::Integer(kind.wrap(i128::from(bits))))
            }
            (Value::Integer(value), Some(_), Some(Scalar::Integer(kind))) => Ok(Value::Integer(kind.wrap(value))),
            _ => self.stop("the bits of an object are taken as another type"),
        }
    }

    pub(super) fn cast_place(&mut self, kind: &CastKind, operand: ExpressionId) -> Outcome<Pointer> {
        let pointer = self.place(operand)?;
        match kind {
            CastKind::NoOperation => Ok(pointer),
            CastKind::Reinterpret => Ok(pointer),
            CastKind::DerivedToBase(_) | CastKind::BaseToDerived(_) => {
                let class = self.program.types.as_class(self.program.type_of(operand).id);
                self.along(kind, pointer, class)
            }
            _ => self.stop("an object is taken as one of another type"),
        }
    }

    /// Follows a path of bases down or up.
    pub(super) fn along(&self, kind: &CastKind, pointer: Pointer, class: Option<ClassId>) -> Outcome<Pointer> {
        let mut pointer = pointer;
        if self.is_address(&pointer) {
            let (CastKind::DerivedToBase(path), Some(class)) = (kind, class) else {
                return self.stop("an object is cast to a class derived from its own");
            };
            let offset = self.program.base_path_offset(class, path);
            return self.moved_by_bytes(&pointer, i128::from(offset));
        }
        match kind {
            CastKind::DerivedToBase(path) => {
                let mut current = class;
                for step in path {
                    let Some(place) = current.and_then(|class| {
                        self.program
                            .class(class)
                            .bases
                            .iter()
                            .position(|base| base.class == *step)
                    }) else {
                        return self.stop("a base class is used that is virtual or not there");
                    };
                    pointer.path.push(Step::Base(place));
                    current = Some(*step);
                }
                Ok(pointer)
            }
            CastKind::BaseToDerived(path) => {
                for _ in path {
                    match pointer.path.pop() {
                        Some(Step::Base(_)) => {}
                        _ => return self.stop("an object is cast to a class derived from its own"),
                    }
                }
                Ok(pointer)
            }
            _ => Ok(pointer),
        }
    }

    pub(super) fn field_path_offset(&self, class: ClassId, path: &[super::super::FieldIndex]) -> i64 {
        let mut class = class;
        let mut offset = 0;
        for field in path {
            let data = self.program.class(class);
            offset += data.layout.field_offsets.get(field.index()).copied().unwrap_or(0);
            match data
                .fields
                .get(field.index())
                .and_then(|field| self.program.types.as_class(field.ty.id))
            {
                Some(next) => class = next,
                None => break,
            }
        }
        offset as i64
    }

    /// The way to the member of a type at an offset of a class.
    pub(super) fn path_of_offset(&self, class: ClassId, offset: i64, target: TypeId) -> Option<Vec<Step>> {
        let data = self.program.class(class);
        for (place, field) in data.fields.iter().enumerate() {
            let at = *data.layout.field_offsets.get(place)? as i64;
            let step = Step::Field(super::super::FieldIndex(place as u32));
            if field.bit_width.is_some() {
                continue;
            }
            if at == offset && field.ty.id == target {
                return Some(vec![step]);
            }
            if let Some(inner) = self
                .program
                .types
                .as_class(field.ty.id)
                .filter(|_| field.name.is_none())
                && let Some(mut rest) = self.path_of_offset(inner, offset - at, target)
            {
                rest.insert(0, step);
                return Some(rest);
            }
        }
        for (place, base) in data.bases.iter().enumerate() {
            let at = *data.layout.base_offsets.get(place)? as i64;
            if let Some(mut rest) = self.path_of_offset(base.class, offset - at, target) {
                rest.insert(0, Step::Base(place));
                return Some(rest);
            }
        }
        None
    }
}
