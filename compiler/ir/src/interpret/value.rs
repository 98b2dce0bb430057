//! What values are at run time.

use crate::context::Context;
use crate::integer::Integer;
use crate::types::Type;

/// The most bytes of a value that is more than memory. Values of larger types are poison as a whole.
pub(super) const LARGEST: u64 = 1 << 22;

/// A value of a running program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Datum {
    /// The bits of an integer, float or pointer.
    Bits(Integer),
    /// A scalar that is poison or undef: nothing is known of it.
    Poison,
    /// The lanes of a vector or the elements of an aggregate.
    Composite(Vec<Datum>),
}

impl Datum {
    /// The low bits of a number.
    pub fn int(bits: u32, value: u64) -> Datum {
        Datum::Bits(Integer::new(bits, u128::from(value)))
    }

    /// A truth value.
    pub fn bool(value: bool) -> Datum {
        Datum::int(1, u64::from(value))
    }

    /// The value of no bits.
    pub(super) fn void() -> Datum {
        Datum::Composite(Vec::new())
    }

    /// The bits of a scalar that is not poison.
    pub fn bits(&self) -> Option<&Integer> {
        match self {
            Datum::Bits(bits) => Some(bits),
            Datum::Poison | Datum::Composite(_) => None,
        }
    }

    /// The low 64 bits of a scalar that is not poison.
    pub fn low(&self) -> Option<u64> {
        self.bits().map(Integer::low_u64)
    }

    /// Whether some part of it is poison.
    pub fn has_poison(&self) -> bool {
        match self {
            Datum::Bits(_) => false,
            Datum::Poison => true,
            Datum::Composite(elements) => elements.iter().any(Datum::has_poison),
        }
    }

    /// Whether this value may stand where `other` was meant: equal wherever that is known.
    pub fn refines(&self, other: &Datum) -> bool {
        match (self, other) {
            (_, Datum::Poison) => true,
            (Datum::Composite(own), Datum::Composite(meant)) => {
                own.len() == meant.len() && own.iter().zip(meant).all(|(own, meant)| own.refines(meant))
            }
            _ => self == other,
        }
    }

    /// The value of a type that is poison in all parts.
    pub fn poison(context: &Context, ty: Type) -> Datum {
        Datum::uniform(context, ty, &|_| Datum::Poison)
    }

    /// The value of a type of all zero bits.
    pub fn zero(context: &Context, ty: Type) -> Datum {
        Datum::uniform(context, ty, &|bits| Datum::Bits(Integer::zero(bits)))
    }

    fn uniform(context: &Context, ty: Type, scalar: &dyn Fn(u32) -> Datum) -> Datum {
        if context.size(ty) > LARGEST {
            return Datum::Poison;
        }
        match context.element_count(ty) {
            Some(count) => {
                let elements = (0..count).map(|index| match context.element(ty, index) {
                    Some(element) => Datum::uniform(context, element, scalar),
                    None => Datum::Poison,
                });
                Datum::Composite(elements.collect())
            }
            None => scalar(scalar_bits(context, ty)),
        }
    }
}

/// The width of a scalar.
pub(super) fn scalar_bits(context: &Context, ty: Type) -> u32 {
    context.bit_size(ty) as u32
}

/// A function of scalars applied to values or to all their lanes. A scalar operand goes with every lane; poison in an operand is handed to `apply`.
pub(super) fn lanes<E>(operands: &[&Datum], apply: &mut impl FnMut(&[&Datum]) -> Result<Datum, E>) -> Result<Datum, E> {
    let count = operands.iter().find_map(|operand| {
        if let Datum::Composite(lanes) = operand {
            Some(lanes.len())
        } else {
            None
        }
    });
    let Some(count) = count else { return apply(operands) };
    let mut results = Vec::with_capacity(count);
    for lane in 0..count {
        let picked: Vec<&Datum> = operands
            .iter()
            .map(|operand| match operand {
                Datum::Composite(lanes) => lanes.get(lane).unwrap_or(&Datum::Poison),
                scalar => scalar,
            })
            .collect();
        results.push(apply(&picked)?);
    }
    Ok(Datum::Composite(results))
}
