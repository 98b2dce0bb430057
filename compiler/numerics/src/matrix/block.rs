//! One block: terms aligned, cut and added.

use crate::format::{F16, F32, Format};
use crate::round::{Exact, Overflow, Rounding, Unpacked, round, unpack};

/// The exponent that zeros take part with when the largest is sought.
const ZERO_EXPONENT: i32 = -126;

/// A term of the sum: plus or minus `significand` · 2^(`exponent` - `fraction_bits`).
///
/// The exponent is the one of the encoding, that of a product the sum of two: it is not normalised.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub(super) negative: bool,
    pub(super) significand: u64,
    pub(super) fraction_bits: u32,
    pub(super) exponent: i32,
}

impl Term {
    /// A finite value of a format as its encoding has it: subnormal values have the exponent of the smallest normal ones.
    fn of(format: Format, value: Exact) -> Self {
        let exponent = if value.is_zero() {
            ZERO_EXPONENT
        } else {
            value.exponent + format.mantissa_bits as i32
        };
        Self {
            negative: value.negative,
            significand: value.significand as u64,
            fraction_bits: format.mantissa_bits,
            exponent,
        }
    }

    /// The exact product of two terms.
    pub(super) fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            fraction_bits: self.fraction_bits + other.fraction_bits,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The term in units of 2^(`largest` - `fraction_bits`), cut toward zero.
    fn aligned(self, largest: i32, fraction_bits: u32) -> i128 {
        let shift = fraction_bits as i32 - self.fraction_bits as i32 + self.exponent - largest;
        let wide = u128::from(self.significand);
        let magnitude = if shift >= 0 {
            wide.checked_shl(shift.unsigned_abs()).unwrap_or(0)
        } else {
            wide.checked_shr(shift.unsigned_abs()).unwrap_or(0)
        };
        if self.negative {
            -(magnitude as i128)
        } else {
            magnitude as i128
        }
    }
}

/// A value that may be no number: the operands and products of a sum.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Nan,
    Infinite { negative: bool },
    Finite(Term),
}

impl Value {
    /// What an encoding stands for.
    pub(super) fn of(format: Format, bits: u64) -> Self {
        match unpack(format, bits) {
            Unpacked::Nan => Self::Nan,
            Unpacked::Infinite { negative } => Self::Infinite { negative },
            Unpacked::Finite(value) => Self::Finite(Term::of(format, value)),
        }
    }

    /// The product, with no number for zero times infinity.
    pub(super) fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nan, _) | (_, Self::Nan) => Self::Nan,
            (Self::Infinite { negative: a }, Self::Infinite { negative: b }) => Self::Infinite { negative: a != b },
            (Self::Infinite { negative }, Self::Finite(term)) | (Self::Finite(term), Self::Infinite { negative }) => {
                if term.significand == 0 {
                    Self::Nan
                } else {
                    Self::Infinite {
                        negative: negative != term.negative,
                    }
                }
            }
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a.times(b)),
        }
    }
}

/// What the first pass over the terms finds.
enum Survey {
    Nan,
    Infinite { negative: bool },
    Finite { largest: i32 },
}

fn survey(terms: impl Iterator<Item = Value>) -> Survey {
    let initial = Survey::Finite { largest: i32::MIN };
    terms.fold(initial, |survey, term| match (survey, term) {
        (Survey::Nan, _) | (_, Value::Nan) => Survey::Nan,
        (Survey::Infinite { negative: a }, Value::Infinite { negative: b }) if a != b => Survey::Nan,
        (Survey::Infinite { negative }, _) | (_, Value::Infinite { negative }) => Survey::Infinite { negative },
        (Survey::Finite { largest }, Value::Finite(term)) => Survey::Finite {
            largest: largest.max(term.exponent),
        },
    })
}

/// The sum of terms of a destination type.
pub(super) fn sum(
    terms: impl Iterator<Item = Value> + Clone,
    fraction_bits: u32,
    destination: impl Fn(Exact) -> u64,
    format: Format,
) -> u64 {
    let largest = match survey(terms.clone()) {
        Survey::Nan => return format.nan().unwrap_or(0),
        Survey::Infinite { negative } => {
            return format.infinity().unwrap_or(0) | if negative { format.sign_bit() } else { 0 };
        }
        Survey::Finite { largest } => largest,
    };
    let total: i128 = terms
        .map(|term| match term {
            Value::Finite(term) => term.aligned(largest, fraction_bits),
            Value::Nan | Value::Infinite { .. } => 0,
        })
        .sum();
    destination(Exact {
        negative: total < 0,
        significand: total.unsigned_abs(),
        exponent: largest.saturating_sub(fraction_bits as i32),
        inexact: false,
    })
}

/// f32 cut toward zero to `kept` fraction bits. What is too large is infinite all the same, and there is no -0.
pub(super) fn cut_to_f32(value: Exact, kept: u32) -> u64 {
    if value.leading() > 127 {
        return 0x7f80_0000 | u64::from(value.negative) << 31;
    }
    let bits = round(F32, Rounding::TowardZero, Overflow::Infinity, value) & (u64::MAX << (23 - kept));
    without_negative_zero(F32, bits)
}

/// f16 rounded to nearest even. There is no -0.
pub(super) fn round_to_f16(value: Exact) -> u64 {
    without_negative_zero(F16, round(F16, Rounding::NearestEven, Overflow::Infinity, value))
}

fn without_negative_zero(format: Format, bits: u64) -> u64 {
    if format.is_zero(bits) { 0 } else { bits }
}
