//! Conversions from and to integers.

use super::Modifiers;
use crate::float::clamp;
use crate::format::{F32, F64, Format};
use crate::round::{Exact, Rounding, Unpacked, round, round_to_integer, unpack};

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    /// Its width, at most 64.
    pub bits: u32,
    /// Whether it is in two's complement.
    pub signed: bool,
}

const fn unsigned(bits: u32) -> Integer {
    Integer { bits, signed: false }
}

const fn signed(bits: u32) -> Integer {
    Integer { bits, signed: true }
}

/// `u8`
pub const U8: Integer = unsigned(8);
/// `u16`
pub const U16: Integer = unsigned(16);
/// `u32`
pub const U32: Integer = unsigned(32);
/// `u64`
pub const U64: Integer = unsigned(64);
/// `s8`
pub const S8: Integer = signed(8);
/// `s16`
pub const S16: Integer = signed(16);
/// `s32`
pub const S32: Integer = signed(32);
/// `s64`
pub const S64: Integer = signed(64);

impl Integer {
    /// The value of the low bits.
    ///
    /// ```
    /// use warpsmith_numerics::convert::{S8, U8};
    /// assert_eq!([S8.value(0x1ff), U8.value(0x1ff)], [-1, 255]);
    /// ```
    #[inline]
    pub const fn value(self, bits: u64) -> i128 {
        let unused = 64 - self.bits;
        if self.signed {
            (((bits << unused) as i64) >> unused) as i128
        } else {
            ((bits << unused) >> unused) as i128
        }
    }

    /// The low bits of a value, zero-extended.
    #[inline]
    pub const fn bits_of(self, value: i128) -> u64 {
        value as u64 & (u64::MAX >> (64 - self.bits))
    }

    /// The value's bits in a 64-bit register: sign-extended if the type is signed. Narrower registers take the low bits.
    #[inline]
    pub const fn extend(self, bits: u64) -> u64 {
        self.value(bits) as u64
    }

    /// The smallest and the largest value.
    #[inline]
    pub const fn range(self) -> (i128, i128) {
        if self.signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }

    #[inline]
    fn clamped(self, value: i128) -> u64 {
        let (smallest, largest) = self.range();
        self.bits_of(value.clamp(smallest, largest))
    }
}

/// `cvt` between integers: the low bits of the value, or with `saturate` the nearest value of the destination.
///
/// ```
/// use warpsmith_numerics::convert::{integer_to_integer, S8, S32, U8};
/// assert_eq!(integer_to_integer(S32, U8, false, 0xffff_fffd), 0xfd);
/// assert_eq!(integer_to_integer(S32, U8, true, 0xffff_fffd), 0);
/// assert_eq!(integer_to_integer(S32, S8, true, 0x1ff), 0x7f);
/// ```
#[inline]
pub fn integer_to_integer(from: Integer, to: Integer, saturate: bool, a: u64) -> u64 {
    let value = from.value(a);
    if saturate { to.clamped(value) } else { to.bits_of(value) }
}

/// `cvt` from an integer to f16, bf16, f32 or f64.
#[inline]
pub fn integer_to_float(from: Integer, to: Format, modifiers: Modifiers, a: u64) -> u64 {
    let value = from.value(a);
    let exact = Exact::integer(value < 0, value.unsigned_abs());
    clamp(
        to,
        modifiers.clamp,
        round(to, modifiers.rounding, modifiers.overflow, exact),
    )
}

/// `cvt` from f16, bf16, f32 or f64 to an integer: rounded, then clamped to the range of the destination.
///
/// A NaN becomes 0, but 2^(n−1) for a destination of n bits if the source is f64 or the destination has 64 bits (the PTX manual). `ftz` is for
/// f32 alone.
///
/// ```
/// use warpsmith_numerics::{convert::{float_to_integer, S32, U8}, format::F32, round::Rounding};
/// assert_eq!(float_to_integer(F32, S32, Rounding::NearestEven, false, 0xc020_0000), 0xffff_fffe); // -2.5
/// assert_eq!(float_to_integer(F32, U8, Rounding::TowardZero, false, 0x4380_0000), 0xff); // 256
/// ```
#[inline]
pub fn float_to_integer(from: Format, to: Integer, rounding: Rounding, ftz: bool, a: u64) -> u64 {
    let (smallest, largest) = to.range();
    match unpack(from, if ftz && from == F32 { from.flush(a) } else { a }) {
        Unpacked::Nan if from == F64 || to.bits == 64 => 1 << (to.bits - 1),
        Unpacked::Nan => 0,
        Unpacked::Infinite { negative } => to.bits_of(if negative { smallest } else { largest }),
        Unpacked::Finite(value) => {
            let magnitude =
                round_to_integer(rounding, value).map_or(i128::MAX, |m| i128::try_from(m).unwrap_or(i128::MAX));
            to.clamped(if value.negative { -magnitude } else { magnitude })
        }
    }
}

/// `cvt.pack`: `a` and `b`, both s32, saturated to a type of 2 to 16 bits and packed, `a` above `b`, into the low bits; above them the low bits
/// of `c`. The forms of 16 bits have no `c`: any will do.
///
/// ```
/// use warpsmith_numerics::convert::{pack_integers, U16, U8};
/// assert_eq!(pack_integers(U8, 1, 2, 0x1234_5678), 0x5678_0102);
/// assert_eq!(pack_integers(U16, 70_000, -5_i32 as u32, 0), 0xffff_0000);
/// ```
#[inline]
pub fn pack_integers(to: Integer, a: u32, b: u32, c: u32) -> u32 {
    let [a, b] = [a, b].map(|bits| to.clamped(S32.value(u64::from(bits))));
    let pair = (a << to.bits) | b;
    (pair | (u64::from(c) << (2 * to.bits))) as u32
}

#[cfg(test)]
mod tests {
    use super::super::Modifiers;
    use super::{
        Integer, S8, S16, S32, S64, U8, U16, U32, U64, float_to_integer, integer_to_float, integer_to_integer,
        pack_integers,
    };
    use crate::float::Clamp;
    use crate::format::{BF16, F16, F32, F64};
    use crate::round::Rounding;

    #[test]
    fn sign_extension_and_truncation() {
        assert_eq!(integer_to_integer(S8, U64, false, 0xffff_ff80), 0xffff_ffff_ffff_ff80);
        assert_eq!(integer_to_integer(U8, S32, false, 0xffff_ff80), 0x80);
        assert_eq!(integer_to_integer(U64, U16, false, 0x1_2345), 0x2345);
        assert_eq!(S16.extend(0x8000), 0xffff_ffff_ffff_8000);
    }

    #[test]
    fn saturation_between_signs() {
        assert_eq!(integer_to_integer(S32, U64, true, 0xffff_fffd), 0);
        assert_eq!(integer_to_integer(U32, S32, true, 0xffff_ffff), 0x7fff_ffff);
        assert_eq!(integer_to_integer(U64, S64, true, u64::MAX), i64::MAX as u64);
        assert_eq!(integer_to_integer(S64, S8, true, i64::MIN as u64), 0x80);
    }

    #[test]
    fn integers_round_to_floats() {
        let near = Modifiers::default();
        let zero = Modifiers::from(Rounding::TowardZero);
        assert_eq!(integer_to_float(U32, F16, near, 65520), 0x7c00);
        assert_eq!(integer_to_float(U32, F16, zero, 65520), 0x7bff);
        assert_eq!(integer_to_float(U64, F32, near, u64::MAX), 0x5f80_0000);
        assert_eq!(integer_to_float(U64, BF16, zero, u64::MAX), 0x5f7f);
        assert_eq!(integer_to_float(S64, F64, near, i64::MIN as u64), 0xc3e0_0000_0000_0000);
        assert_eq!(integer_to_float(S8, F32, near, 0xff), 0xbf80_0000);
        let sat = Modifiers {
            clamp: Clamp::Saturate,
            ..near
        };
        assert_eq!(
            [5, 1, 0, 0xffff_ffff].map(|a| integer_to_float(S32, F32, sat, a)),
            [0x3f80_0000, 0x3f80_0000, 0, 0]
        );
    }

    #[test]
    fn nan_by_source_and_destination() {
        let at = |from, to, nan| float_to_integer(from, to, Rounding::TowardZero, false, nan);
        assert_eq!([U8, S8, U16, S16, U32, S32].map(|to| at(F32, to, 0x7fc0_0000)), [0; 6]);
        assert_eq!([U64, S64].map(|to| at(F16, to, 0x7e00)), [1 << 63; 2]);
        assert_eq!(
            [U8, S16, U32, S64].map(|to| at(F64, to, 0xfff8 << 48)),
            [0x80, 0x8000, 0x8000_0000, 1 << 63]
        );
    }

    #[test]
    fn floats_clamp_to_the_range() {
        let at = |to, a| float_to_integer(F32, to, Rounding::TowardZero, false, a);
        let ends = |to: Integer| {
            [
                at(to, 0xff80_0000),
                at(to, 0xff7f_ffff),
                at(to, 0x7f7f_ffff),
                at(to, 0x7f80_0000),
            ]
        };
        assert_eq!(ends(S8), [0x80, 0x80, 0x7f, 0x7f]);
        assert_eq!(ends(U32), [0, 0, 0xffff_ffff, 0xffff_ffff]);
        assert_eq!(ends(S64), [1 << 63, 1 << 63, i64::MAX as u64, i64::MAX as u64]);
    }

    #[test]
    fn halves_by_rounding() {
        let at = |rounding, a| float_to_integer(BF16, S32, rounding, false, a) as u32 as i32;
        let modes = [
            Rounding::NearestEven,
            Rounding::TowardZero,
            Rounding::TowardNegative,
            Rounding::TowardPositive,
        ];
        assert_eq!(modes.map(|mode| at(mode, 0x3f00)), [0, 0, 0, 1]);
        assert_eq!(modes.map(|mode| at(mode, 0xbfc0)), [-2, -1, -2, -1]);
    }

    #[test]
    fn flushed_source_is_zero() {
        let at = |ftz| float_to_integer(F32, S32, Rounding::TowardPositive, ftz, 1);
        assert_eq!([at(false), at(true)], [1, 0]);
    }

    #[test]
    fn packing_of_narrow_integers() {
        let s4 = Integer { bits: 4, signed: true };
        assert_eq!(pack_integers(s4, 1, -20_i32 as u32, 0x1234_5678), 0x3456_7818);
        let u2 = Integer { bits: 2, signed: false };
        assert_eq!(pack_integers(u2, 3, 1, 0x1234_5678), 0x2345_678d);
        assert_eq!(pack_integers(S16, 0x7fff_ffff, 0x8000_0000, 0), 0x7fff_8000);
    }
}
