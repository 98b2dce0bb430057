//! Extended-precision arithmetic: operations that read and write the carry.
//!
//! There is one flag, a carry. The manual has subtractions write a borrow to it, but what ptxas makes of them, and folds them to, is the sum
//! with the complement: the flag is then set where nothing was borrowed. Chains of one kind do not tell the two apart; a `subc` after an
//! `add.cc` or an `addc` after a `sub.cc` does, and here gives what the compiled code gives.

use super::arithmetic::{Part, multiply};
use super::kind::Integer;

/// A result and the carry out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Carried {
    /// The result modulo the width.
    pub value: u64,
    /// What `.cc` writes.
    pub carry: bool,
}

/// `add.cc` and, with a carry in, `addc`.
///
/// ```
/// use warpsmith_numerics::integer::{add_carry, U32};
/// let low = add_carry(U32, 0xffff_ffff, 1, false);
/// assert_eq!((low.value, low.carry), (0, true));
/// assert_eq!(add_carry(U32, 5, 6, low.carry).value, 12);
/// ```
#[inline]
pub fn add_carry(kind: Integer, a: u64, b: u64, carry: bool) -> Carried {
    let mask = u128::from(kind.mask());
    let sum = (u128::from(a) & mask) + (u128::from(b) & mask) + u128::from(carry);
    Carried {
        value: (sum & mask) as u64,
        carry: sum > mask,
    }
}

/// `sub.cc`, whose `carry` in is true, and `subc`: a - b - 1 + carry. The carry out is true where nothing was borrowed.
///
/// ```
/// use warpsmith_numerics::integer::{subtract_carry, U64};
/// let low = subtract_carry(U64, 0, 1, true);
/// assert_eq!((low.value, low.carry), (u64::MAX, false));
/// assert_eq!(subtract_carry(U64, 5, 3, low.carry).value, 1);
/// ```
#[inline]
pub fn subtract_carry(kind: Integer, a: u64, b: u64, carry: bool) -> Carried {
    add_carry(kind, a, !b, carry)
}

/// `mad.cc` and, with a carry in, `madc`: the low or high half of a product plus c.
///
/// ```
/// use warpsmith_numerics::integer::{multiply_add_carry, Part, U32};
/// let low = multiply_add_carry(U32, Part::Low, 0x10000, 0x10000, 7, false);
/// let high = multiply_add_carry(U32, Part::High, 0x10000, 0x10000, 0, low.carry);
/// assert_eq!((low.value, high.value), (7, 1));
/// ```
#[inline]
pub fn multiply_add_carry(kind: Integer, part: Part, a: u64, b: u64, c: u64, carry: bool) -> Carried {
    add_carry(kind, multiply(kind, part, a, b), c, carry)
}

/// `addc.sat.s32` and `madc.hi.sat.s32`: the exact sum of two numbers and the carry, clamped.
///
/// ```
/// use warpsmith_numerics::integer::{add_carry_saturating, S32};
/// assert_eq!(add_carry_saturating(S32, 0x7fff_ffff, 0, true), 0x7fff_ffff);
/// ```
#[inline]
pub fn add_carry_saturating(kind: Integer, a: u64, b: u64, carry: bool) -> u64 {
    kind.saturate(kind.value(a) + kind.value(b) + i128::from(carry))
}

/// `subc.sat.s32`: the exact a - b - 1 + carry, clamped.
///
/// ```
/// use warpsmith_numerics::integer::{subtract_carry_saturating, S32};
/// assert_eq!(subtract_carry_saturating(S32, 0x8000_0000, 0, false), 0x8000_0000);
/// ```
#[inline]
pub fn subtract_carry_saturating(kind: Integer, a: u64, b: u64, carry: bool) -> u64 {
    kind.saturate(kind.value(a) - kind.value(b) - i128::from(!carry))
}
