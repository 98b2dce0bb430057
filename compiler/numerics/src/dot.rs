//! Dot products of packed bytes and halves: `dp4a` and `dp2a`.

use crate::integer::{Integer, S8, S16, U8, U16, common};

/// The numbers of one signedness packed in a register, from the low end.
fn unpack<const COUNT: usize>(kind: Integer, register: u32) -> [i128; COUNT] {
    core::array::from_fn(|index| kind.value(u64::from(register) >> (index as u32 * kind.width)))
}

/// The accumulator plus products, modulo 2^32: nothing saturates.
fn accumulate(a: &[i128], b: &[i128], c: u32) -> u32 {
    let products: i128 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    (products + i128::from(c)) as u32
}

/// `dp4a`: four products of bytes, each register signed or not, added to c.
///
/// ```
/// use warpsmith_numerics::dot::dp4a;
/// assert_eq!(dp4a(0x0102_0304, 0x0101_0101, 5, false, false), 15);
/// assert_eq!(dp4a(0xff00_0000, 0x0200_0000, 0, true, false), 0xffff_fffe);
/// ```
#[inline]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    let kind = |signed| if signed { S8 } else { U8 };
    accumulate(&unpack::<4>(kind(a_signed), a), &unpack::<4>(kind(b_signed), b), c)
}

/// `dp2a.lo` and, with `high`, `dp2a.hi`: the halves of a times the two low or two high bytes of b, added to c.
///
/// ```
/// use warpsmith_numerics::dot::dp2a;
/// assert_eq!(dp2a(0x0002_0001, 0x0403_0201, 0, false, false, false), 5);
/// assert_eq!(dp2a(0x0002_0001, 0x0403_0201, 0, false, false, true), 11);
/// ```
#[inline]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    let bytes = unpack::<4>(if b_signed { S8 } else { U8 }, b);
    let chosen = if high { &bytes[2..] } else { &bytes[..2] };
    accumulate(&unpack::<2>(if a_signed { S16 } else { U16 }, a), chosen, c)
}

/// The type of the accumulator: `.u32` if both registers are unsigned, else `.s32`. It does not change the result.
#[inline]
pub const fn accumulator(a_signed: bool, b_signed: bool) -> Integer {
    common(
        Integer {
            width: 32,
            signed: a_signed,
        },
        Integer {
            width: 32,
            signed: b_signed,
        },
    )
}
