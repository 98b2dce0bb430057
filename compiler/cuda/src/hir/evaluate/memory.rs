//! Objects and pointers into them.

use super::super::{FieldIndex, FunctionId, StringId, Type, TypeId, VariableId, VariableInitialiser};
use super::value::Value;
use super::{Evaluator, Outcome};

/// What a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// An address; 0 is null.
    Absolute(i64),
    /// An object that the evaluation made.
    Object(usize),
    /// A variable with static storage duration.
    Static(VariableId),
    /// A string literal's array.
    String(StringId),
    /// A function.
    Function(FunctionId),
}

/// One step from an object to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An element; of the last step, the count of elements is past the end.
    Index(u64),
    /// A field.
    Field(FieldIndex),
    /// A direct base, by place.
    Base(usize),
    /// Past the end of an object that is no element of an array.
    End,
    /// A number of bytes from where the base is: the only step of an address (see `address`).
    Byte(i64),
}

/// A pointer, or what a glvalue refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) base: Base,
    pub(super) path: Vec<Step>,
}

impl Pointer {
    pub(super) const NULL: Pointer = Pointer {
        base: Base::Absolute(0),
        path: Vec::new(),
    };

    pub(super) fn new(base: Base) -> Pointer {
        Pointer { base, path: Vec::new() }
    }
    pub(super) fn is_null(&self) -> bool {
        self.base == Base::Absolute(0)
    }
    pub(super) fn then(&self, step: Step) -> Pointer {
        let mut path = self.path.clone();
        path.push(step);
        Pointer { base: self.base, path }
    }
}

/// An object of the evaluation.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) value: Value,
    pub(super) ty: TypeId,
    pub(super) alive: bool,
}

impl Evaluator<'_> {
    /// Makes an object of which nothing is initialised.
    pub(super) fn new_object(&mut self, ty: TypeId) -> usize {
        let value = self.uninitialised(ty);
        self.objects.push(Object { value, ty, alive: true });
        self.objects.len() - 1
    }

    /// Ends the objects from one on. They are forgotten, to be made anew, where no pointer to them can have got out; else they are kept, so that
    /// a use of one is seen.
    pub(super) fn end_objects(&mut self, first: usize, result: &Outcome<Value>) {
        let returned = result.as_ref().is_ok_and(Value::holds_pointer);
        if returned || self.pointers_from < first {
            self.objects[first..].iter_mut().for_each(|object| object.alive = false);
        } else {
            self.objects.truncate(first);
            self.pointers_from = usize::MAX;
        }
    }

    /// The object of a static variable whose value is a constant.
    fn static_object(&mut self, id: VariableId) -> Outcome<usize> {
        if let Some(&object) = self.statics.get(&id) {
            return Ok(object);
        }
        let variable = self.program.variable(id);
        let ty = variable.ty;
        let constant = variable.is_constexpr
            || self.program.types.qualifiers_of(ty).is_const()
            || self.program.types.is_reference(ty.id);
        let VariableInitialiser::Constant(value) = &variable.initialiser else {
            return self.stop(self.unknown_value(id));
        };
        if !constant || ty.is_volatile() {
            return self.stop(format!(
                "the value of '{}', which is not constant, is read",
                self.program.variable_name(id)
            ));
        }
        let value = self.value_of_constant(value, ty.id);
        self.static_objects.push(Object {
            value,
            ty: ty.id,
            alive: true,
        });
        let object = self.static_objects.len() - 1;
        self.statics.insert(id, object);
        Ok(object)
    }

    /// What a static reference refers to.
    pub(super) fn static_reference(&mut self, id: VariableId) -> Outcome<Pointer> {
        let object = self.static_object(id)?;
        match &self.static_objects[object].value {
            Value::Pointer(pointer) => Ok(pointer.clone()),
            _ => self.stop("a reference without a constant value is used"),
        }
    }

    /// Reads the object that a glvalue refers to.
    pub(super) fn load(&mut self, pointer: &Pointer) -> Outcome<Value> {
        let object = match pointer.base {
            Base::Absolute(0) => return self.stop("a null pointer is dereferenced"),
            Base::Absolute(_) => return self.stop("memory at a fixed address is read"),
            Base::Function(_) => return self.stop("a function is read as an object"),
            Base::String(string) => return self.load_string(string, pointer),
            Base::Object(object) => &self.objects[object],
            Base::Static(variable) => {
                let object = self.static_object(variable)?;
                &self.static_objects[object]
            }
        };
        if !object.alive {
            return self.stop("an object is read after its lifetime");
        }
        let mut value = &object.value;
        let mut ty = object.ty;
        for step in &pointer.path {
            match self.part(value, ty, *step) {
                Ok((part, part_type)) => (value, ty) = (part, part_type),
                Err(reason) => return self.stop(reason),
            }
        }
        match value {
            Value::Undefined => self.stop("an object is read that has no value yet"),
            value => Ok(value.clone()),
        }
    }

    fn load_string(&self, string: StringId, pointer: &Pointer) -> Outcome<Value> {
        let literal = self.program.string(string);
        let of = |element: u32| match self.program.types.get(literal.element) {
            Type::Integer(kind) => Value::Integer(kind.wrap(i128::from(element))),
            _ => Value::Integer(i128::from(element)),
        };
        match pointer.path.as_slice() {
            [] => Ok(Value::Array(
                literal.elements.iter().map(|&element| of(element)).collect(),
                Box::new(Value::Integer(0)),
            )),
            [Step::Index(index)] => match literal.elements.get(*index as usize) {
                Some(&element) => Ok(of(element)),
                None => self.stop("a string is read past its end"),
            },
            [Step::Byte(_)] => self.stop("a string is read through a pointer to another type"),
            _ => self.stop("a string is read past its end"),
        }
    }

    /// A part of a value of a type.
    fn part<'v>(&self, value: &'v Value, ty: TypeId, step: Step) -> Result<(&'v Value, TypeId), String> {
        match (step, value) {
            (Step::Index(index), Value::Array(elements, filler)) => {
                let Some(element) = self.element_type(ty) else {
                    return Err("an element of what is no array is used".into());
                };
                if self.bound(ty).is_some_and(|bound| index >= bound) {
                    return Err(past_end(index, self.bound(ty)));
                }
                Ok((elements.get(index as usize).unwrap_or(filler), element))
            }
            (Step::Byte(_), _) => Err("an object is read through a pointer to another type".into()),
            (Step::Index(0), value) => Ok((value, ty)),
            (Step::Field(field), Value::Struct(_, fields)) => match fields.get(field.index()) {
                Some(part) => Ok((part, self.field_type(ty, field))),
                None => Err("a field is used that is not there".into()),
            },
            (Step::Field(field), Value::Union(active)) => match active {
                Some((at, part)) if *at == field => Ok((part, self.field_type(ty, field))),
                _ => Err("a member of a union is read that is not the active one".into()),
            },
            (Step::Base(place), Value::Struct(bases, _)) => match bases.get(place) {
                Some(part) => Ok((part, self.base_type(ty, place))),
                None => Err("a base is used that is not there".into()),
            },
            (Step::End | Step::Index(_), _) => Err("an object is used past its end".into()),
            (Step::Field(_) | Step::Base(_), _) => Err("a member of an object is used that has no value yet".into()),
        }
    }

    fn bound(&self, ty: TypeId) -> Option<u64> {
        match *self.program.types.get(ty) {
            Type::Array(_, count) => count,
            Type::Vector(_, count) => Some(u64::from(count)),
            _ => Some(1),
        }
    }

    fn field_type(&self, ty: TypeId, field: FieldIndex) -> TypeId {
        let class = self.program.types.as_class(ty);
        class
            .and_then(|class| self.program.class(class).fields.get(field.index()))
            .map_or(ty, |field| field.ty.id)
    }

    fn base_type(&self, ty: TypeId, place: usize) -> TypeId {
        let class = self.program.types.as_class(ty);
        let base = class.and_then(|class| self.program.class(class).bases.get(place));
        base.and_then(|base| self.program.types.known_class(base.class))
            .unwrap_or(ty)
    }

    /// Writes the object that a glvalue refers to.
    pub(super) fn store(&mut self, pointer: &Pointer, value: Value) -> Outcome<()> {
        let object = match pointer.base {
            Base::Absolute(0) => return self.stop("a null pointer is dereferenced"),
            Base::Object(object) => object,
            Base::Static(variable)
                if self.program.variable(variable).storage != super::super::StorageDuration::Static =>
            {
                return self.stop(self.unknown_value(variable));
            }
            Base::Static(variable) => {
                return self.stop(format!(
                    "'{}', which is not part of the evaluation, is written",
                    self.program.variable_name(variable)
                ));
            }
            Base::Absolute(_) | Base::Function(_) | Base::String(_) => {
                return self.stop("something is written that is not part of the evaluation");
            }
        };
        if !self.objects[object].alive {
            return self.stop("an object is written after its lifetime");
        }
        if value.holds_pointer() {
            self.pointers_from = self.pointers_from.min(object);
        }
        let ty = self.objects[object].ty;
        let mut whole = std::mem::replace(&mut self.objects[object].value, Value::Undefined);
        let result = self.write(&mut whole, ty, &pointer.path, value);
        self.objects[object].value = whole;
        match result {
            Ok(()) => Ok(()),
            Err(reason) => self.stop(reason),
        }
    }

    fn write(&self, whole: &mut Value, ty: TypeId, path: &[Step], value: Value) -> Result<(), String> {
        let Some((step, rest)) = path.split_first() else {
            *whole = value;
            return Ok(());
        };
        match (*step, whole) {
            (Step::Index(index), Value::Array(elements, filler)) => {
                let Some(element) = self.element_type(ty) else {
                    return Err("an element of what is no array is used".into());
                };
                if self.bound(ty).is_some_and(|bound| index >= bound) || index > 1 << 24 {
                    return Err(past_end(index, self.bound(ty)));
                }
                while elements.len() as u64 <= index {
                    elements.push((**filler).clone());
                }
                self.write(&mut elements[index as usize], element, rest, value)
            }
            (Step::Byte(_), _) => Err("an object is written through a pointer to another type".into()),
            (Step::Index(0), whole) => self.write(whole, ty, rest, value),
            (Step::Field(field), Value::Struct(_, fields)) => {
                let part = self.field_type(ty, field);
                let value = if rest.is_empty() {
                    self.cut_to_width(ty, field, value)
                } else {
                    value
                };
                match fields.get_mut(field.index()) {
                    Some(whole) => self.write(whole, part, rest, value),
                    None => Err("a field is used that is not there".into()),
                }
            }
            (Step::Field(field), Value::Union(active)) => {
                let part = self.field_type(ty, field);
                let value = if rest.is_empty() {
                    self.cut_to_width(ty, field, value)
                } else {
                    value
                };
                // Assignment through a member makes it the active one ([class.union]/5).
                match active {
                    Some((at, whole)) if *at == field => self.write(whole, part, rest, value),
                    _ => {
                        let mut whole = self.uninitialised(part);
                        let result = self.write(&mut whole, part, rest, value);
                        *active = Some((field, Box::new(whole)));
                        result
                    }
                }
            }
            (Step::Base(place), Value::Struct(bases, _)) => {
                let part = self.base_type(ty, place);
                match bases.get_mut(place) {
                    Some(whole) => self.write(whole, part, rest, value),
                    None => Err("a base is used that is not there".into()),
                }
            }
            (Step::End | Step::Index(_), _) => Err("an object is used past its end".into()),
            (Step::Field(_) | Step::Base(_), _) => Err("a member of an object is used that has no value yet".into()),
        }
    }

    /// What a bit field keeps of a value: the low bits, extended by the sign of its type.
    fn cut_to_width(&self, ty: TypeId, field: FieldIndex, value: Value) -> Value {
        let class = self.program.types.as_class(ty).map(|class| self.program.class(class));
        let field = class.and_then(|class| class.fields.get(field.index()));
        let width = field
            .and_then(|field| field.bit_width)
            .filter(|&width| width > 0 && width < 128);
        let (Value::Integer(bits), Some(width), Some(field)) = (&value, width, field) else {
            return value;
        };
        let signed = match super::arithmetic::scalar(self.program, field.ty.id) {
            Some(super::arithmetic::Scalar::Integer(kind)) => kind.is_signed(),
            _ => false,
        };
        let shifted = bits << (128 - width);
        Value::Integer(if signed {
            shifted >> (128 - width)
        } else {
            ((shifted as u128) >> (128 - width)) as i128
        })
    }

    /// The type of what a pointer's path leads to, as far as it is known.
    pub(super) fn type_at(&self, pointer: &Pointer) -> Option<TypeId> {
        let mut ty = match pointer.base {
            Base::Object(object) => self.objects[object].ty,
            Base::Static(variable) => {
                self.program
                    .types
                    .strip_reference(self.program.variable(variable).ty)
                    .id
            }
            Base::String(_) | Base::Absolute(_) | Base::Function(_) => return None,
        };
        for step in &pointer.path {
            ty = match *step {
                Step::Index(_) => self.element_type(ty).unwrap_or(ty),
                Step::Field(field) => self.field_type(ty, field),
                Step::Base(place) => self.base_type(ty, place),
                Step::End => ty,
                Step::Byte(_) => return None,
            };
        }
        Some(ty)
    }

    /// Moves a pointer by elements.
    pub(super) fn advance(&self, pointer: &Pointer, by: i128) -> Outcome<Pointer> {
        if by == 0 {
            return Ok(pointer.clone());
        }
        if pointer.is_null() {
            return self.stop("arithmetic is done on a null pointer");
        }
        let mut result = pointer.clone();
        match result.path.pop() {
            Some(Step::Index(index)) => {
                let bound = match result.base {
                    Base::String(string) => Some(self.program.string(string).elements.len() as u64),
                    _ => self.type_at(&result).and_then(|ty| self.bound(ty)),
                };
                let moved = i128::from(index) + by;
                if moved < 0 || bound.is_some_and(|bound| moved > i128::from(bound)) {
                    return self.stop(format!(
                        "a pointer is moved to element {moved} of an array of {}",
                        bound.unwrap_or(0)
                    ));
                }
                result.path.push(Step::Index(moved as u64));
                Ok(result)
            }
            Some(Step::End) if by == -1 => Ok(result),
            Some(step @ (Step::Field(_) | Step::Base(_))) if by == 1 => {
                result.path.push(step);
                result.path.push(Step::End);
                Ok(result)
            }
            None if by == 1 && !matches!(result.base, Base::Absolute(_) | Base::Function(_)) => {
                result.path.push(Step::End);
                Ok(result)
            }
            _ => self.stop("a pointer is moved out of its object"),
        }
    }

    /// The distance of two pointers in elements.
    pub(super) fn distance(&self, left: &Pointer, right: &Pointer) -> Outcome<i128> {
        if left == right {
            return Ok(0);
        }
        match (left.path.split_last(), right.path.split_last()) {
            (Some((Step::Index(a), one)), Some((Step::Index(b), other))) if left.base == right.base && one == other => {
                Ok(i128::from(*a) - i128::from(*b))
            }
            (Some((Step::End, one)), _) if left.base == right.base && one == right.path => Ok(1),
            (_, Some((Step::End, other))) if left.base == right.base && other == left.path => Ok(-1),
            _ => self.stop("pointers into different objects are subtracted or ordered"),
        }
    }
}

fn past_end(index: u64, bound: Option<u64>) -> String {
    format!("element {index} of an array of {} is used", bound.unwrap_or(0))
}
