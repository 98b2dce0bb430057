//! Counting, finding, extracting and inserting bits.

use super::kind::Integer;

/// What bit searches return when there is nothing to find.
pub const NOT_FOUND: u32 = u32::MAX;

/// Whether positions and widths beyond 31 are clamped or taken modulo 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// `.clamp`.
    Clamp,
    /// `.wrap`.
    Wrap,
}

/// `popc`: the number of one bits.
#[inline]
pub fn count_ones(kind: Integer, a: u64) -> u32 {
    (a & kind.mask()).count_ones()
}

/// `clz`: the number of zero bits above the highest one bit, the width for zero.
///
/// ```
/// use warpsmith_numerics::integer::{count_leading_zeros, U32, U64};
/// assert_eq!((count_leading_zeros(U32, 1), count_leading_zeros(U64, 0)), (31, 64));
/// ```
#[inline]
pub fn count_leading_zeros(kind: Integer, a: u64) -> u32 {
    (a & kind.mask()).leading_zeros() - (64 - kind.width)
}

/// `bfind`: the position of the highest bit that differs from the sign (from 0 for unsigned types); with `shift_amount`, its distance from the
/// highest position.
///
/// ```
/// use warpsmith_numerics::integer::{find_bit, NOT_FOUND, S32, U32};
/// assert_eq!((find_bit(U32, 0x100, false), find_bit(U32, 0x100, true)), (8, 23));
/// assert_eq!((find_bit(S32, 0xffff_fffe, false), find_bit(S32, 0xffff_ffff, true)), (0, NOT_FOUND));
/// ```
#[inline]
pub fn find_bit(kind: Integer, a: u64, shift_amount: bool) -> u32 {
    let bits = a & kind.mask();
    let bits = if kind.value(a) < 0 { !bits & kind.mask() } else { bits };
    match bits.checked_ilog2() {
        None => NOT_FOUND,
        Some(position) if shift_amount => kind.width - 1 - position,
        Some(position) => position,
    }
}

/// `fns`: the position of the |`offset`|-th one bit at or above `base`, or below for a negative offset; for offset 0, `base` if that bit is one.
///
/// A base beyond 31 is undefined; here there is nothing to find.
///
/// ```
/// use warpsmith_numerics::integer::{find_nth_set, NOT_FOUND};
/// assert_eq!(find_nth_set(0b1011_0100, 3, 2), 5);
/// assert_eq!(find_nth_set(0b1011_0100, 6, -3), 2);
/// assert_eq!(find_nth_set(0b1011_0100, 3, 0), NOT_FOUND);
/// ```
#[inline]
pub fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let is_set = |position: &u32| mask >> position & 1 != 0;
    if base > 31 {
        return NOT_FOUND;
    }
    let nth = (offset.unsigned_abs() as usize).saturating_sub(1);
    let found = match offset {
        0 => Some(base).filter(is_set),
        1.. => (base..32).filter(is_set).nth(nth),
        _ => (0..=base).rev().filter(is_set).nth(nth),
    };
    found.unwrap_or(NOT_FOUND)
}

/// `brev`: the bits in reverse order.
#[inline]
pub fn reverse(kind: Integer, a: u64) -> u64 {
    a.reverse_bits() >> (64 - kind.width)
}

/// A position or length of a bit field. The manual allows 0 to 255. Beyond that the code of ptxas takes the low eight bits in the 32-bit forms
/// and the number as it is in the 64-bit ones.
const fn field_operand(kind: Integer, operand: u32) -> u32 {
    if kind.width > 32 { operand } else { operand & 0xff }
}

/// `bfe`: the field of `length` bits from `position`, extended by its sign or zeros. Where a signed field reaches beyond the value, the value's
/// sign bit is the field's.
///
/// ```
/// use warpsmith_numerics::integer::{extract_field, S32, U32};
/// assert_eq!(extract_field(U32, 0xabcd_ef01, 8, 8), 0xef);
/// assert_eq!(extract_field(S32, 0xabcd_ef01, 8, 8), 0xffff_ffef);
/// assert_eq!(extract_field(S32, 0x8000_0000, 40, 4), 0xffff_ffff);
/// ```
#[inline]
pub fn extract_field(kind: Integer, a: u64, position: u32, length: u32) -> u64 {
    let (position, length) = (field_operand(kind, position), field_operand(kind, length));
    if length == 0 {
        return 0;
    }
    let shifted = kind.value(a) >> position.min(127);
    let field = Integer {
        width: length.min(kind.width),
        ..kind
    };
    kind.wrap(field.value(shifted as u64))
}

/// `bfi`: `base` with the low `length` bits of `field` put at `position`.
///
/// ```
/// use warpsmith_numerics::integer::{insert_field, U32};
/// assert_eq!(insert_field(U32, 0xff, 0x1111_1111, 8, 4), 0x1111_1f11);
/// assert_eq!(insert_field(U32, 0xff, 0x1111_1111, 28, 20), 0xf111_1111);
/// ```
#[inline]
pub fn insert_field(kind: Integer, field: u64, base: u64, position: u32, length: u32) -> u64 {
    let (position, length) = (field_operand(kind, position), field_operand(kind, length));
    let ones = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    let place = |bits: u64| bits.checked_shl(position).unwrap_or(0);
    (base & !place(ones) | place(field & ones)) & kind.mask()
}

/// `bmsk`: `width` one bits from `position`.
///
/// ```
/// use warpsmith_numerics::integer::{bit_mask, Range};
/// assert_eq!(bit_mask(4, 8, Range::Clamp), 0xff0);
/// assert_eq!((bit_mask(36, 8, Range::Clamp), bit_mask(36, 8, Range::Wrap)), (0, 0xff0));
/// assert_eq!((bit_mask(4, 32, Range::Clamp), bit_mask(4, 32, Range::Wrap)), (0xffff_fff0, 0));
/// ```
#[inline]
pub fn bit_mask(position: u32, width: u32, range: Range) -> u32 {
    let from = |bit: u32| u32::MAX.checked_shl(bit).unwrap_or(0);
    match range {
        Range::Clamp => from(position) & !from(position.saturating_add(width)),
        Range::Wrap => from(position & 31) & !from((position & 31) + (width & 31)),
    }
}

/// `szext`: the low `width` bits of a, extended by their sign or zeros. A width of zero gives 0.
///
/// ```
/// use warpsmith_numerics::integer::{extend, Range, S32, U32};
/// assert_eq!((extend(S32, 0x1f8, 8, Range::Clamp), extend(U32, 0x1f8, 8, Range::Clamp)), (0xffff_fff8, 0xf8));
/// assert_eq!((extend(S32, 5, 32, Range::Clamp), extend(S32, 5, 32, Range::Wrap)), (5, 0));
/// ```
#[inline]
pub fn extend(kind: Integer, a: u32, width: u32, range: Range) -> u32 {
    let width = match range {
        Range::Clamp => width.min(32),
        Range::Wrap => width & 31,
    };
    if width == 0 {
        return 0;
    }
    Integer { width, ..kind }.value(u64::from(a)) as u32
}
