//! Dot products with nothing to be found out: integers, bits and doubles.

use crate::float::{self, Modifiers};
use crate::format::F64;
use crate::integer::{Integer, S32};

/// `.s8`, `.u8`, `.s4` and `.u4`: the exact sum modulo 2^32 or, with `saturate` (`.satfinite`), clamped to `.s32` once.
///
/// ```
/// use warpsmith_numerics::integer::{S8, U8};
/// use warpsmith_numerics::matrix::integer;
/// assert_eq!(integer(S8, U8, [(0xff, 0xff), (2, 3)].into_iter(), 1, false), 0xffff_ff08); // -255 + 6 + 1
/// assert_eq!(integer(U8, U8, [(1, 1)].into_iter(), 0x7fff_ffff, true), 0x7fff_ffff);
/// ```
pub fn integer(a: Integer, b: Integer, products: impl Iterator<Item = (u64, u64)>, c: u32, saturate: bool) -> u32 {
    let sum: i128 = products.map(|(x, y)| a.value(x) * b.value(y)).sum();
    S32.fit(sum + S32.value(u64::from(c)), saturate) as u32
}

/// What is done with two rows of bits before ones are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOperation {
    /// `.xor.popc`.
    Xor,
    /// `.and.popc`.
    And,
}

/// `.b1`: the number of ones in the combined words, added to c.
///
/// ```
/// use warpsmith_numerics::matrix::{bits, BitOperation};
/// assert_eq!(bits(BitOperation::Xor, [(0b1100, 0b1010)].into_iter(), 5), 7);
/// ```
pub fn bits(operation: BitOperation, words: impl Iterator<Item = (u32, u32)>, c: u32) -> u32 {
    let ones = words.map(|(a, b)| match operation {
        BitOperation::Xor => (a ^ b).count_ones(),
        BitOperation::And => (a & b).count_ones(),
    });
    c.wrapping_add(ones.sum())
}

/// `.f64`: fused multiply-adds in the order of k, each rounded by `modifiers`.
///
/// ```
/// use warpsmith_numerics::matrix::double;
/// let (one, three) = (0x3ff0_0000_0000_0000, 0x4008_0000_0000_0000);
/// assert_eq!(double([(one, three), (three, three)].into_iter(), one, Default::default()), 0x402a_0000_0000_0000); // 13
/// ```
pub fn double(products: impl Iterator<Item = (u64, u64)>, c: u64, modifiers: Modifiers) -> u64 {
    products.fold(c, |sum, (a, b)| float::fma(F64, modifiers, a, b, sum))
}
