//! Floating-point arithmetic, comparison and selection.
//!
//! Each operation takes the format, its modifiers and the operands as raw bits, and gives raw bits. Bits of an operand above its format are
//! ignored.
//!
//! # NaN results
//!
//! * f32 gives 0x7fffffff, f16 and bf16 give 0x7fff, whatever the operands (the PTX manual; the constant folder of ptxas 13.0 agrees).
//! * f64 gives the first operand that is a NaN, quieted, with its sign and payload. Without such an operand (∞ − ∞, 0 · ∞, 0 / 0, √−1) it
//!   gives 0xfff8000000000000. The instruction sequences that ptxas emits for division, reciprocal and square root do exactly this; for add,
//!   mul and fma, which are single machine instructions, the choice among several NaN operands is an assumption.
//! * `abs`, `neg` and `copysign` are described at [`abs`] and [`copysign`], minimum and maximum at [`min`].

mod arithmetic;
mod compare;
mod divide;
mod minmax;
mod packed;
mod sign;

pub use arithmetic::{OOB_NAN, add, add_mixed, fma, fma_mixed, mad, mul, sub, sub_mixed};
pub use compare::{Combine, Comparison, Property, combine, compare, setp, slct, test, truth_float, truth_integer};
pub use divide::{div, rcp, sqrt};
pub use minmax::{MinMax, max, max3, min, min3};
pub use packed::{join, map_lanes, split};
pub use sign::{abs, copysign, neg};

use crate::format::{F64, Format};
use crate::round::{Exact, Overflow, Rounding, is_tiny, round};

/// What is done with a result after rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Clamp {
    /// Nothing.
    #[default]
    None,
    /// `.sat`: to [0, 1]; NaN and −0 become +0 (the constant folder of ptxas 13.0 agrees for `cvt`).
    Saturate,
    /// `.relu`: negative values become +0; NaN becomes the canonical NaN. So does −0 become +0, which the manual does not say.
    Relu,
}

/// The modifiers of an arithmetic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// How the exact result is rounded.
    pub rounding: Rounding,
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
    /// `.sat` or `.relu`.
    pub clamp: Clamp,
    /// `.oob`: the result is +0 if a factor is the NaN that marks an out-of-bounds access ([`OOB_NAN`]).
    pub oob: bool,
}

impl From<Rounding> for Modifiers {
    fn from(rounding: Rounding) -> Self {
        Self {
            rounding,
            ..Self::default()
        }
    }
}

impl Modifiers {
    /// An operand as the instruction sees it.
    #[inline]
    fn operand(self, format: Format, bits: u64) -> u64 {
        if self.ftz { format.flush(bits) } else { bits }
    }

    /// The result of an operation with this exact value.
    #[inline]
    fn finish(self, format: Format, value: Exact) -> u64 {
        let bits = if self.ftz && is_tiny(format, self.rounding, value) {
            if value.negative { format.sign_bit() } else { 0 }
        } else {
            round(format, self.rounding, Overflow::Infinity, value)
        };
        clamp(format, self.clamp, bits)
    }

    /// An infinite result.
    #[inline]
    fn infinite(self, format: Format, negative: bool) -> u64 {
        let magnitude = format.infinity().unwrap_or_else(|| format.largest_finite());
        clamp(
            format,
            self.clamp,
            magnitude | if negative { format.sign_bit() } else { 0 },
        )
    }

    /// The result of an operation that is not a number.
    #[inline]
    fn not_a_number<const N: usize>(self, format: Format, operands: [u64; N]) -> u64 {
        clamp(format, self.clamp, nan_of(format, operands))
    }
}

/// `.sat` or `.relu` applied to a result.
#[inline]
pub fn clamp(format: Format, clamp: Clamp, bits: u64) -> u64 {
    let negative = format.is_negative(bits);
    match clamp {
        Clamp::None => bits,
        Clamp::Saturate if negative || format.is_nan(bits) => 0,
        Clamp::Saturate => bits.min(format.one()),
        Clamp::Relu if format.is_nan(bits) => format.nan().unwrap_or(0),
        Clamp::Relu if negative => 0,
        Clamp::Relu => bits,
    }
}

/// The NaN that an operation on these operands gives.
#[inline]
fn nan_of<const N: usize>(format: Format, operands: [u64; N]) -> u64 {
    if format != F64 {
        return format.nan().unwrap_or(0);
    }
    // Of all formats f64 alone hands on payloads.
    const QUIET: u64 = 1 << 51;
    const DEFAULT: u64 = 0xfff8_0000_0000_0000;
    operands
        .into_iter()
        .find(|&bits| format.is_nan(bits))
        .map_or(DEFAULT, |bits| bits | QUIET)
}

#[cfg(test)]
mod tests {
    use super::{Clamp, clamp};
    use crate::format::{BF16, F16, F32};

    #[test]
    fn saturation() {
        let at = |bits| clamp(F32, Clamp::Saturate, bits);
        assert_eq!([0x8000_0000, 0xbf80_0000, 0x7fff_ffff, 0xffff_ffff].map(at), [0; 4]);
        assert_eq!([0x3f80_0001, 0x7f80_0000, 0x3f80_0000].map(at), [0x3f80_0000; 3]);
        assert_eq!(at(0x3f7f_ffff), 0x3f7f_ffff);
    }

    #[test]
    fn relu() {
        assert_eq!(
            [0x8000, 0xfc00, 0x3c00].map(|bits| clamp(F16, Clamp::Relu, bits)),
            [0, 0, 0x3c00]
        );
        assert_eq!(clamp(BF16, Clamp::Relu, 0xff81), 0x7fff);
    }
}
