//! Values during evaluation, and their passage from and to constants.

use super::super::{Constant, ConstantBase, FieldIndex, FunctionId, Type, TypeId};
use super::address::address_from;
use super::memory::{Base, Pointer, Step};
use super::{Evaluator, Outcome};

/// A value. Classes hold bases and fields in one list each.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Undefined,
    Integer(i128),
    Float(u64),
    /// A pointer, or a reference.
    Pointer(Pointer),
    MemberOffset(Option<i64>),
    MemberFunction(Option<(FunctionId, i64)>),
    /// Elements up to a last, which stands for all others.
    Array(Vec<Value>, Box<Value>),
    Struct(Vec<Value>, Vec<Value>),
    Union(Option<(FieldIndex, Box<Value>)>),
}

impl Value {
    pub(super) fn boolean(value: bool) -> Value {
        Value::Integer(i128::from(value))
    }

    /// Whether there is a pointer or a reference in it.
    pub(super) fn holds_pointer(&self) -> bool {
        match self {
            Value::Pointer(_) => true,
            Value::Undefined
            | Value::Integer(_)
            | Value::Float(_)
            | Value::MemberOffset(_)
            | Value::MemberFunction(_) => false,
            Value::Array(elements, filler) => elements.iter().any(Value::holds_pointer) || filler.holds_pointer(),
            Value::Struct(bases, fields) => bases.iter().chain(fields).any(Value::holds_pointer),
            Value::Union(active) => active.as_ref().is_some_and(|(_, value)| value.holds_pointer()),
        }
    }
}

impl Evaluator<'_> {
    /// An object of a type of which nothing is initialised; the members of classes are there to be filled.
    pub(super) fn uninitialised(&self, id: TypeId) -> Value {
        match self.program.types.get(id) {
            Type::Class(class) => {
                let class = self.program.class(*class);
                if class.kind == super::super::ClassKind::Union {
                    return Value::Union(None);
                }
                let bases = class
                    .bases
                    .iter()
                    .map(|base| self.class_value(base.class, false))
                    .collect();
                let fields = class
                    .fields
                    .iter()
                    .map(|field| self.uninitialised(field.ty.id))
                    .collect();
                Value::Struct(bases, fields)
            }
            Type::Array(element, _) => Value::Array(Vec::new(), Box::new(self.uninitialised(element.id))),
            Type::Vector(element, _) => Value::Array(Vec::new(), Box::new(self.uninitialised(*element))),
            _ => Value::Undefined,
        }
    }

    fn class_value(&self, class: super::super::ClassId, zero: bool) -> Value {
        let class = self.program.class(class);
        if class.kind == super::super::ClassKind::Union {
            let first = class.fields.first().filter(|_| zero);
            return Value::Union(first.map(|field| (FieldIndex(0), Box::new(self.zero(field.ty.id)))));
        }
        let bases = class
            .bases
            .iter()
            .map(|base| self.class_value(base.class, zero))
            .collect();
        let of = |id| if zero { self.zero(id) } else { self.uninitialised(id) };
        Value::Struct(bases, class.fields.iter().map(|field| of(field.ty.id)).collect())
    }

    /// The zero of a type.
    pub(super) fn zero(&self, id: TypeId) -> Value {
        match self.program.types.get(id) {
            Type::Bool | Type::Integer(_) | Type::Enum(_) => Value::Integer(0),
            Type::Float(_) => Value::Float(0),
            Type::NullPointer | Type::Pointer(_) => Value::Pointer(Pointer::NULL),
            Type::MemberPointer { pointee, .. } => match self.program.types.get(pointee.id) {
                Type::Function(_) => Value::MemberFunction(None),
                _ => Value::MemberOffset(None),
            },
            Type::Class(class) => self.class_value(*class, true),
            Type::Array(element, _) => Value::Array(Vec::new(), Box::new(self.zero(element.id))),
            Type::Vector(element, _) => Value::Array(Vec::new(), Box::new(self.zero(*element))),
            _ => Value::Undefined,
        }
    }

    /// A value as a constant of a type. Pointers must point to what lives forever.
    pub(super) fn constant(&self, value: Value, id: TypeId) -> Outcome<Constant> {
        let types = &self.program.types;
        Ok(match value {
            Value::Undefined => match types.get(id) {
                Type::Void => Constant::Undefined,
                _ if types.is_scalar(id) => return self.stop("part of the value is not initialised"),
                _ => Constant::Undefined,
            },
            Value::Integer(value) => Constant::Integer(value),
            Value::Float(bits) => Constant::Float(bits),
            Value::Pointer(pointer) => self.pointer_constant(&pointer)?,
            Value::MemberOffset(offset) => Constant::MemberOffset(offset),
            Value::MemberFunction(function) => Constant::MemberFunction(function),
            Value::Array(elements, filler) => {
                let (element, count) = match types.get(id) {
                    Type::Array(element, count) => (element.id, *count),
                    Type::Vector(element, count) => (*element, Some(u64::from(*count))),
                    _ => return self.stop("the value is no array"),
                };
                let full = count.is_some_and(|count| count <= elements.len() as u64);
                let elements = elements
                    .into_iter()
                    .map(|value| self.constant(value, element))
                    .collect::<Outcome<_>>()?;
                let filler = if full {
                    None
                } else {
                    Some(Box::new(self.constant(*filler, element)?))
                };
                Constant::Array(elements, filler)
            }
            Value::Struct(bases, fields) => {
                let Some(class) = types.as_class(id) else {
                    return self.stop("the value is no object of a class");
                };
                let class = self.program.class(class);
                let mut base_values = Vec::with_capacity(bases.len());
                for (value, base) in bases.into_iter().zip(&class.bases) {
                    base_values.push(self.class_constant(value, base.class)?);
                }
                let mut field_values = Vec::with_capacity(fields.len());
                for (value, field) in fields.into_iter().zip(&class.fields) {
                    if field.name.is_none() && field.bit_width.is_some() {
                        field_values.push(Constant::Undefined);
                    } else {
                        field_values.push(self.constant(value, field.ty.id)?);
                    }
                }
                Constant::Struct {
                    bases: base_values,
                    fields: field_values,
                }
            }
            Value::Union(None) => Constant::Union(None),
            Value::Union(Some((field, value))) => {
                let Some(class) = types.as_class(id) else {
                    return self.stop("the value is no union");
                };
                let ty = self.program.class(class).fields[field.index()].ty.id;
                Constant::Union(Some((field, Box::new(self.constant(*value, ty)?))))
            }
        })
    }

    /// Whether a variable lives in a function's frame and has no constant value.
    fn is_unknown_local(&self, variable: super::super::VariableId) -> bool {
        let variable = self.program.variable(variable);
        let constant = matches!(variable.initialiser, super::super::VariableInitialiser::Constant(_));
        variable.storage != super::super::StorageDuration::Static && !constant
    }

    fn class_constant(&self, value: Value, class: super::super::ClassId) -> Outcome<Constant> {
        // The type of a base is found through its own table entry; classes without one have no members to be looked at.
        match self.program.types.known_class(class) {
            Some(id) => self.constant(value, id),
            None => Ok(Constant::Undefined),
        }
    }

    /// A pointer as base and byte offset.
    pub(super) fn pointer_constant(&self, pointer: &Pointer) -> Outcome<Constant> {
        let (base, ty) = match pointer.base {
            Base::Absolute(address) => return Ok(Constant::Pointer(ConstantBase::Absolute, address)),
            Base::Object(_) => return self.stop("the value points to an object that does not outlive the evaluation"),
            Base::Static(variable) if self.is_unknown_local(variable) => {
                return self.stop(format!(
                    "the value points to the local variable '{}'",
                    self.program.variable_name(variable)
                ));
            }
            Base::Static(variable) => {
                let ty = self.program.types.strip_reference(self.program.variable(variable).ty);
                (ConstantBase::Variable(variable), ty.id)
            }
            Base::Function(function) => (ConstantBase::Function(function), self.program.function(function).ty),
            Base::String(string) => {
                let literal = self.program.string(string);
                let size = self.program.size_of(literal.element);
                let offset = match pointer.path.first() {
                    Some(Step::Index(index)) => index.saturating_mul(size),
                    Some(Step::End) => size.saturating_mul(literal.elements.len() as u64),
                    Some(Step::Byte(offset)) => return Ok(Constant::Pointer(ConstantBase::String(string), *offset)),
                    _ => 0,
                };
                return Ok(Constant::Pointer(ConstantBase::String(string), offset as i64));
            }
        };
        if let [Step::Byte(offset)] = pointer.path[..] {
            return Ok(Constant::Pointer(base, offset));
        }
        let offset = self.path_offset(ty, &pointer.path);
        Ok(Constant::Pointer(base, offset))
    }

    fn path_offset(&self, start: TypeId, path: &[Step]) -> i64 {
        let program = self.program;
        let mut ty = start;
        let mut offset = 0u64;
        for step in path {
            match *step {
                Step::Index(index) => {
                    if let Some(element) = self.element_type(ty) {
                        ty = element;
                    }
                    offset += index.saturating_mul(program.size_of(ty));
                }
                Step::End => offset += program.size_of(ty),
                Step::Byte(bytes) => offset = offset.wrapping_add_signed(bytes),
                Step::Field(field) => {
                    let Some(class) = program.types.as_class(ty) else { break };
                    let class = program.class(class);
                    offset += class.layout.field_offsets.get(field.index()).copied().unwrap_or(0);
                    ty = class.fields[field.index()].ty.id;
                }
                Step::Base(place) => {
                    let Some(class) = program.types.as_class(ty) else { break };
                    let class = program.class(class);
                    offset += class.layout.base_offsets.get(place).copied().unwrap_or(0);
                    match program.types.known_class(class.bases[place].class) {
                        Some(base) => ty = base,
                        None => break,
                    }
                }
            }
        }
        offset as i64
    }

    pub(super) fn element_type(&self, id: TypeId) -> Option<TypeId> {
        match self.program.types.get(id) {
            Type::Array(element, _) => Some(element.id),
            Type::Vector(element, _) => Some(*element),
            _ => None,
        }
    }

    /// A constant of a type as a value to compute with.
    pub(super) fn value_of_constant(&self, constant: &Constant, id: TypeId) -> Value {
        let types = &self.program.types;
        match constant {
            Constant::Undefined => self.uninitialised(id),
            Constant::Integer(value) => Value::Integer(*value),
            Constant::Float(bits) => Value::Float(*bits),
            Constant::MemberOffset(offset) => Value::MemberOffset(*offset),
            Constant::MemberFunction(function) => Value::MemberFunction(*function),
            Constant::Pointer(base, offset) => {
                let target = match *types.get(id) {
                    Type::Pointer(to) | Type::LValueReference(to) | Type::RValueReference(to) => Some(to.id),
                    _ => None,
                };
                let pointer = self.pointer_from(*base, *offset, target);
                match self.leads_to(&pointer, target, *offset) {
                    true => Value::Pointer(pointer),
                    false => Value::Pointer(address_from(*base, *offset)),
                }
            }
            Constant::Array(elements, filler) => {
                let element = self.element_type(id).unwrap_or(id);
                let values = elements
                    .iter()
                    .map(|value| self.value_of_constant(value, element))
                    .collect();
                let filler = match filler {
                    Some(filler) => self.value_of_constant(filler, element),
                    None => self.uninitialised(element),
                };
                Value::Array(values, Box::new(filler))
            }
            Constant::Struct { bases, fields } => {
                let Some(class) = types.as_class(id) else {
                    return Value::Undefined;
                };
                let class = self.program.class(class);
                let bases = bases
                    .iter()
                    .zip(&class.bases)
                    .map(|(value, base)| match types.known_class(base.class) {
                        Some(ty) => self.value_of_constant(value, ty),
                        None => Value::Undefined,
                    });
                let fields = fields
                    .iter()
                    .zip(&class.fields)
                    .map(|(value, field)| self.value_of_constant(value, field.ty.id));
                Value::Struct(bases.collect(), fields.collect())
            }
            Constant::Union(None) => Value::Union(None),
            Constant::Union(Some((field, value))) => {
                let Some(class) = types.as_class(id) else {
                    return Value::Undefined;
                };
                let ty = self.program.class(class).fields[field.index()].ty.id;
                Value::Union(Some((*field, Box::new(self.value_of_constant(value, ty)))))
            }
        }
    }

    /// The pointer that a base and a byte offset are: the way down to an object of the type pointed to.
    fn pointer_from(&self, base: ConstantBase, offset: i64, target: Option<TypeId>) -> Pointer {
        let program = self.program;
        let (base, ty) = match base {
            ConstantBase::Absolute => return Pointer::new(Base::Absolute(offset)),
            ConstantBase::Function(function) => return Pointer::new(Base::Function(function)),
            ConstantBase::String(string) => {
                let literal = program.string(string);
                let size = program.size_of(literal.element).max(1) as i64;
                let mut pointer = Pointer::new(Base::String(string));
                if target.is_none_or(|target| self.element_type(target).is_none()) {
                    pointer.path.push(Step::Index((offset / size) as u64));
                }
                return pointer;
            }
            ConstantBase::Variable(variable) => (
                Base::Static(variable),
                program.types.strip_reference(program.variable(variable).ty).id,
            ),
        };
        let mut pointer = Pointer::new(base);
        self.descend(ty, offset.max(0) as u64, target, &mut pointer.path);
        pointer
    }

    fn descend(&self, ty: TypeId, offset: u64, target: Option<TypeId>, path: &mut Vec<Step>) {
        let program = self.program;
        if offset == 0 && target.is_none_or(|target| target == ty) {
            return;
        }
        if let Some(element) = self.element_type(ty) {
            let size = program.size_of(element).max(1);
            path.push(Step::Index(offset / size));
            return self.descend(element, offset % size, target, path);
        }
        let Some(class) = program.types.as_class(ty) else {
            if offset != 0 && offset == program.size_of(ty) {
                path.push(Step::End);
            }
            return;
        };
        if offset != 0 && offset == program.size_of(ty) {
            path.push(Step::End);
            return;
        }
        let class = program.class(class);
        for (place, field) in class.fields.iter().enumerate() {
            let at = class.layout.field_offsets.get(place).copied().unwrap_or(0);
            let size = program.size_of(field.ty.id);
            if field.bit_width.is_none() && at <= offset && offset < at + size.max(1) {
                let before = path.len();
                path.push(Step::Field(FieldIndex(place as u32)));
                self.descend(field.ty.id, offset - at, target, path);
                if target.is_none() || before < path.len() {
                    return;
                }
            }
        }
        for (place, base) in class.bases.iter().enumerate() {
            let at = class.layout.base_offsets.get(place).copied().unwrap_or(0);
            let Some(ty) = program.types.known_class(base.class) else {
                continue;
            };
            if at <= offset && offset < at + program.size_of(ty) {
                path.push(Step::Base(place));
                return self.descend(ty, offset - at, target, path);
            }
        }
    }
}
