//! Addresses as numbers of bytes from an object: what casts of pointers make where an initialiser is folded, as the host's compilers fold it.
//!
//! Such a pointer's path is the one step [`Step::Byte`]. It can be moved, compared, subtracted and be the value of an initialiser; nothing can be read through it.

use super::super::{BinaryOperator, ClassId, Comparison, Constant, ConstantBase, FieldIndex, Type, TypeId};
use super::arithmetic::{Scalar, holds, scalar};
use super::memory::{Base, Pointer, Step};
use super::value::Value;
use super::{Evaluator, Outcome};

impl Evaluator<'_> {
    /// Whether a pointer is an address: a number of bytes from an object, or from nothing.
    pub(super) fn is_address(&self, pointer: &Pointer) -> bool {
        matches!(pointer.path[..], [Step::Byte(_)]) || matches!(pointer.base, Base::Absolute(_))
    }

    /// A pointer to what lives forever as an address.
    pub(super) fn address(&self, pointer: &Pointer) -> Outcome<Pointer> {
        if self.is_address(pointer) {
            return Ok(pointer.clone());
        }
        match self.pointer_constant(pointer)? {
            Constant::Pointer(base, offset) => Ok(address_from(base, offset)),
            _ => self.stop("a pointer is cast to another type of object"),
        }
    }

    /// An address moved by bytes.
    pub(super) fn moved_by_bytes(&self, pointer: &Pointer, bytes: i128) -> Outcome<Pointer> {
        let address = self.address(pointer)?;
        let old = match (address.base, &address.path[..]) {
            (Base::Absolute(address), _) => address,
            (_, &[Step::Byte(offset)]) => offset,
            _ => return self.stop("a pointer is moved out of its object"),
        };
        let Some(new) = i64::try_from(bytes).ok().and_then(|bytes| old.checked_add(bytes)) else {
            return self.stop("a pointer is moved out of memory");
        };
        Ok(match address.base {
            Base::Absolute(_) => Pointer::new(Base::Absolute(new)),
            base => Pointer::new(base).then(Step::Byte(new)),
        })
    }

    /// A pointer to elements of a type, moved by a number of them.
    pub(super) fn advance_typed(&self, pointer: &Pointer, pointer_type: TypeId, by: i128) -> Outcome<Pointer> {
        let element = self.program.types.pointee(pointer_type);
        let bytes = element.and_then(|element| by.checked_mul(i128::from(self.program.size_of(element.id))));
        match bytes {
            Some(bytes) if self.folds() && self.is_address(pointer) => self.moved_by_bytes(pointer, bytes),
            Some(bytes) if self.folds() => match self.advance(pointer, by) {
                Ok(pointer) => Ok(pointer),
                Err(stop) => self.moved_by_bytes(pointer, bytes).map_err(|_| stop),
            },
            _ => self.advance(pointer, by),
        }
    }

    /// How far two pointers to a type are apart, in elements.
    pub(super) fn distance_typed(&self, left: &Pointer, right: &Pointer, pointer_type: TypeId) -> Outcome<i128> {
        let stop = match self.distance(left, right) {
            Ok(distance) => return Ok(distance),
            Err(stop) => stop,
        };
        let size = match self.program.types.pointee(pointer_type) {
            Some(element) if self.folds() => i128::from(self.program.size_of(element.id).max(1)),
            _ => return Err(stop),
        };
        match self.bytes_between(left, right) {
            Ok(Some(bytes)) if bytes % size == 0 => Ok(bytes / size),
            _ => Err(stop),
        }
    }

    /// How many bytes one pointer is behind another, if both are of one object.
    fn bytes_between(&self, left: &Pointer, right: &Pointer) -> Outcome<Option<i128>> {
        let (left, right) = (self.address(left)?, self.address(right)?);
        Ok(match (left.base, right.base, &left.path[..], &right.path[..]) {
            (Base::Absolute(a), Base::Absolute(b), ..) => Some(i128::from(a) - i128::from(b)),
            (a, b, [Step::Byte(left)], [Step::Byte(right)]) if a == b => Some(i128::from(*left) - i128::from(*right)),
            _ => None,
        })
    }

    /// Whether two pointers are compared by their bytes: one comes of a cast, or both are numbers.
    pub(super) fn counts_bytes(&self, left: &Pointer, right: &Pointer) -> bool {
        let cast = |pointer: &Pointer| matches!(pointer.path[..], [Step::Byte(_)]);
        let number = |pointer: &Pointer| matches!(pointer.base, Base::Absolute(_));
        cast(left) || cast(right) || (number(left) && number(right))
    }

    /// Compares two pointers by their bytes.
    pub(super) fn compare_addresses(&self, comparison: Comparison, left: &Pointer, right: &Pointer) -> Outcome<bool> {
        match self.bytes_between(left, right)? {
            Some(bytes) => Ok(holds(comparison, bytes.cmp(&0))),
            None => match comparison {
                Comparison::Equal => Ok(false),
                Comparison::NotEqual => Ok(true),
                _ => self.stop("pointers into different objects are ordered"),
            },
        }
    }

    /// The field of an object: where that is an address, so is the field.
    pub(super) fn field_of(&self, object: Pointer, class: Option<ClassId>, field: FieldIndex) -> Outcome<Pointer> {
        if !self.is_address(&object) {
            return Ok(object.then(Step::Field(field)));
        }
        let offset = class.map_or(0, |class| self.field_path_offset(class, &[field]));
        self.moved_by_bytes(&object, i128::from(offset))
    }

    /// The first element of an array.
    pub(super) fn first_element(&self, array: Pointer) -> Pointer {
        match self.is_address(&array) {
            true => array,
            false => array.then(Step::Index(0)),
        }
    }

    /// An address that is the value of an integer, with a number added or taken away.
    pub(super) fn address_arithmetic(&self, operator: BinaryOperator, left: Value, right: Value) -> Outcome<Value> {
        match (operator, left, right) {
            (BinaryOperator::Add, Value::Pointer(pointer), Value::Integer(bytes))
            | (BinaryOperator::Add, Value::Integer(bytes), Value::Pointer(pointer)) => {
                Ok(Value::Pointer(self.moved_by_bytes(&pointer, bytes)?))
            }
            (BinaryOperator::Subtract, Value::Pointer(pointer), Value::Integer(bytes)) => {
                Ok(Value::Pointer(self.moved_by_bytes(&pointer, -bytes)?))
            }
            (BinaryOperator::Subtract, Value::Pointer(left), Value::Pointer(right)) => {
                match self.bytes_between(&left, &right)? {
                    Some(bytes) => Ok(Value::Integer(bytes)),
                    None => self.stop("addresses of different objects are subtracted"),
                }
            }
            _ => self.stop("the address of an object is not known at compile time"),
        }
    }

    /// Whether a type is an integer that holds an address.
    pub(super) fn holds_address(&self, id: TypeId) -> bool {
        matches!(scalar(self.program, id), Some(Scalar::Integer(kind)) if kind.bits() == 64)
    }

    /// Whether what a pointer leads to is of the type that it points to, as far as both are known: if not, only its bytes can be counted.
    pub(super) fn leads_to(&self, pointer: &Pointer, target: Option<TypeId>, offset: i64) -> bool {
        let Some(target) = target else { return true };
        let counted = matches!(
            self.program.types.get(target),
            Type::Void | Type::Array(..) | Type::Function(_) | Type::Pointer(_)
        );
        if counted {
            return true;
        }
        match self.pointer_constant(pointer) {
            Ok(Constant::Pointer(_, at)) => {
                let found = self.element_at(pointer);
                at == offset && found.is_none_or(|found| found == target)
            }
            _ => true,
        }
    }

    fn element_at(&self, pointer: &Pointer) -> Option<TypeId> {
        match pointer.base {
            Base::String(string) => Some(self.program.string(string).element),
            _ => self.type_at(pointer),
        }
    }
}

/// The address that a base and an offset are.
pub(super) fn address_from(base: ConstantBase, offset: i64) -> Pointer {
    let base = match base {
        ConstantBase::Absolute => return Pointer::new(Base::Absolute(offset)),
        ConstantBase::Variable(variable) => Base::Static(variable),
        ConstantBase::Function(function) => Base::Function(function),
        ConstantBase::String(string) => Base::String(string),
    };
    Pointer::new(base).then(Step::Byte(offset))
}
