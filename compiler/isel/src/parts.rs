//! Values of the IR as registers: every type is a list of parts.

use smallvec::SmallVec;
use warpsmith_ir::{AddressSpace, Context, Type};

use crate::register::Class;

/// How many parts a value may have. Larger aggregates as values are refused; they belong into memory.
const LIMIT: u64 = 4096;

/// What one part of a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// An integer of 1 to 64 bits. Bits of the register above it are not defined.
    Int(u32),
    /// IEEE half precision in a 16-bit register.
    Half,
    /// bfloat16 in a 16-bit register.
    BFloat,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
    /// A pointer.
    Pointer(AddressSpace),
    /// Two halves in a 32-bit register, the first in the low bits.
    HalfPair,
    /// Two bfloat16 in a 32-bit register.
    BFloatPair,
}

impl Scalar {
    /// The class of its register.
    pub(crate) fn class(self) -> Class {
        match self {
            Scalar::Int(bits) => Class::of_integer(bits),
            Scalar::Half | Scalar::BFloat => Class::B16,
            Scalar::HalfPair | Scalar::BFloatPair => Class::B32,
            Scalar::Float => Class::F32,
            Scalar::Double => Class::F64,
            Scalar::Pointer(AddressSpace::TENSOR) => Class::B32,
            Scalar::Pointer(_) => Class::B64,
        }
    }

    /// The bits of its value.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) => bits,
            other => other.class().bits(),
        }
    }
}

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// What it is.
    pub(crate) scalar: Scalar,
    /// The class of its register: that of `scalar`, but 64 bits for the last word of a wide integer.
    pub(crate) class: Class,
    /// Where it is in memory, in bytes from the value's address.
    pub(crate) offset: u64,
}

/// The parts of a type.
pub(crate) type PartList = SmallVec<[Part; 2]>;

/// The parts of a type, in the order of memory; `None` if there are too many.
pub(crate) fn flatten(context: &Context, ty: Type) -> Option<PartList> {
    let mut parts = PartList::new();
    add(context, ty, 0, &mut parts)?;
    Some(parts)
}

/// How many parts the elements of an aggregate before `index` have.
pub(crate) fn parts_before(context: &Context, ty: Type, index: u64) -> usize {
    (0..index)
        .filter_map(|number| Some(flatten(context, context.element(ty, number)?)?.len()))
        .sum()
}

/// The scalar of a type that is neither vector nor aggregate nor wider than 64 bits.
pub(crate) fn scalar(ty: Type) -> Option<Scalar> {
    Some(match ty {
        Type::Int(bits @ 1..=64) => Scalar::Int(bits),
        Type::Half => Scalar::Half,
        Type::BFloat => Scalar::BFloat,
        Type::Float => Scalar::Float,
        Type::Double => Scalar::Double,
        Type::Pointer(space) => Scalar::Pointer(space),
        _ => return None,
    })
}

/// Whether vectors of the element type have two elements in one register.
pub(crate) fn is_packed(element: Type, length: u64) -> bool {
    matches!(element, Type::Half | Type::BFloat) && length.is_multiple_of(2)
}

fn add(context: &Context, ty: Type, offset: u64, parts: &mut PartList) -> Option<()> {
    if let Some(scalar) = scalar(ty) {
        parts.push(Part {
            scalar,
            class: scalar.class(),
            offset,
        });
        return Some(());
    }
    match ty {
        Type::Int(bits) => {
            for word in 0..bits.div_ceil(64) {
                let scalar = Scalar::Int((bits - word * 64).min(64));
                parts.push(Part {
                    scalar,
                    class: Class::B64,
                    offset: offset + u64::from(word) * 8,
                });
            }
        }
        Type::Vector(vector) => {
            let data = context.vector_parts(vector);
            if parts.len() as u64 + data.length > LIMIT {
                return None;
            }
            if is_packed(data.element, data.length) {
                let scalar = if data.element == Type::Half {
                    Scalar::HalfPair
                } else {
                    Scalar::BFloatPair
                };
                for pair in 0..data.length / 2 {
                    parts.push(Part {
                        scalar,
                        class: Class::B32,
                        offset: offset + pair * 4,
                    });
                }
                return Some(());
            }
            for index in 0..data.length {
                add(context, data.element, offset + context.offset_of(ty, index), parts)?;
            }
        }
        Type::Array(_) | Type::Struct(_) => {
            let count = context.element_count(ty)?;
            if parts.len() as u64 + count > LIMIT {
                return None;
            }
            for index in 0..count {
                add(
                    context,
                    context.element(ty, index)?,
                    offset + context.offset_of(ty, index),
                    parts,
                )?;
            }
        }
        Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token => {}
        Type::Half | Type::BFloat | Type::Float | Type::Double | Type::Pointer(_) => {}
    }
    Some(())
}
