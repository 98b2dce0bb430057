//! Unpacking to exact values, and the one rounding function of all formats and modes.
//!
//! An operation unpacks its operands ([`unpack`]), computes the exact result as an [`Exact`] (see [`crate::exact`]) and rounds it once
//! ([`round`]). Everything is integer arithmetic; the host's floating point takes no part.

use crate::format::{Format, Specials};
use std::cmp::Ordering;

/// How a value that a format cannot hold is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// `.rn`, `.rni`: to the nearest value, ties to the even mantissa.
    #[default]
    NearestEven,
    /// `.rz`, `.rzi`: toward zero.
    TowardZero,
    /// `.rm`, `.rmi`: toward negative infinity.
    TowardNegative,
    /// `.rp`, `.rpi`: toward positive infinity.
    TowardPositive,
    /// `.rna`: to the nearest value, ties away from zero.
    NearestAway,
    /// `.rs`: away from zero if the `bits` most significant discarded bits plus `random` carry, else toward zero.
    Stochastic {
        /// The random number, less than 2^`bits`.
        random: u32,
        /// How many discarded bits take part; at most 32.
        bits: u32,
    },
}

/// What becomes of a result beyond the largest finite value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Overflow {
    /// IEEE 754: infinity, or the largest finite value where the rounding mode points back to it. A format without infinity gives its NaN,
    /// one without NaN its largest finite value.
    #[default]
    Infinity,
    /// `.satfinite`: the largest finite value of the sign.
    LargestFinite,
}

/// A real number: plus or minus `significand` · 2^`exponent`, or with `inexact` something strictly between that and
/// (`significand` + 1) · 2^`exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The sign; zeros have one, too.
    pub negative: bool,
    /// The magnitude, not normalised.
    pub significand: u128,
    /// The weight of the lowest bit of the significand.
    pub exponent: i32,
    /// Whether there is more below the lowest bit. The significand must then have at least two bits more than the format rounded to.
    pub inexact: bool,
}

impl Exact {
    /// A zero.
    #[inline]
    pub const fn zero(negative: bool) -> Self {
        Self {
            negative,
            significand: 0,
            exponent: 0,
            inexact: false,
        }
    }

    /// An integer.
    #[inline]
    pub const fn integer(negative: bool, magnitude: u128) -> Self {
        Self {
            negative,
            significand: magnitude,
            exponent: 0,
            inexact: false,
        }
    }

    /// Whether the value is zero.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.significand == 0 && !self.inexact
    }

    /// The exponent of the leading bit: the floor of the binary logarithm of the magnitude. Zero has none and gives an exponent below any other.
    #[inline]
    pub const fn leading(self) -> i32 {
        if self.significand == 0 {
            i32::MIN / 2
        } else {
            self.exponent + 127 - self.significand.leading_zeros() as i32
        }
    }
}

/// What an encoding stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpacked {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinite {
        /// The sign.
        negative: bool,
    },
    /// A zero or another finite number, never inexact; its significand has at most one bit more than the mantissa.
    Finite(Exact),
}

/// The meaning of an encoding. Padding bits and bits above the format are ignored.
///
/// ```
/// use warpsmith_numerics::{format::F16, round::{unpack, Exact, Unpacked}};
/// let minus_one_and_a_half = Exact { negative: true, significand: 0x600, exponent: -10, inexact: false };
/// assert_eq!(unpack(F16, 0xbe00), Unpacked::Finite(minus_one_and_a_half));
/// ```
#[inline]
pub const fn unpack(format: Format, bits: u64) -> Unpacked {
    let negative = format.is_negative(bits);
    if format.is_nan(bits) {
        return Unpacked::Nan;
    }
    if format.is_infinite(bits) {
        return Unpacked::Infinite { negative };
    }
    let code = (bits & format.magnitude_mask()) >> format.padding;
    let field = (code >> format.mantissa_bits) as i32;
    let mantissa = code & ((1 << format.mantissa_bits) - 1);
    let normal = field != 0 || !format.has_zero;
    let significand = (mantissa | (normal as u64) << format.mantissa_bits) as u128;
    // The subnormal range has the exponent of the smallest normal one.
    let exponent = if normal { field - format.bias } else { 1 - format.bias } - format.mantissa_bits as i32;
    Unpacked::Finite(Exact {
        negative,
        significand,
        exponent,
        inexact: false,
    })
}

/// Rounds an exact value to a format.
///
/// Subnormal results are kept; a format without a zero takes its smallest value instead, one without a sign drops the sign (rounding still
/// sees it).
///
/// ```
/// use warpsmith_numerics::{format::{E4M3, F32}, round::{round, Exact, Overflow, Rounding}};
/// let value = Exact { negative: false, significand: 0x100_0001, exponent: 0, inexact: false }; // one bit more than f32 has
/// assert_eq!(round(F32, Rounding::NearestEven, Overflow::Infinity, value), 0x4b80_0000);
/// assert_eq!(round(F32, Rounding::TowardPositive, Overflow::Infinity, value), 0x4b80_0001);
/// assert_eq!(round(E4M3, Rounding::NearestEven, Overflow::LargestFinite, value), 0x7e); // 448
/// ```
#[inline]
pub fn round(format: Format, rounding: Rounding, overflow: Overflow, value: Exact) -> u64 {
    let sign = if value.negative { format.sign_bit() } else { 0 };
    if value.is_zero() {
        return sign;
    }
    // Both ends of the exponent range bound the arithmetic below, whatever the caller brings.
    let smallest = format.smallest_exponent();
    let exponent = value.leading().max(smallest);
    let last = exponent - format.mantissa_bits as i32;
    let kept = round_bits(rounding, value, last.saturating_sub(value.exponent));
    // The hidden bit of a normal significand adds one to the exponent field, and so does a carry out of the mantissa.
    let field = (exponent.saturating_sub(smallest) as u64).min(1 << format.exponent_bits);
    let mut code = (field << format.mantissa_bits) + kept.unwrap_or(0) as u64;
    if !format.has_zero {
        code = code.saturating_sub(1);
    }
    let largest = format.largest_finite();
    let magnitude = if code > largest >> format.padding {
        overflowed(format, rounding, overflow, value.negative)
    } else {
        code << format.padding
    };
    magnitude | sign
}

/// The magnitude, as an encoding, of a result too large for the format.
#[inline]
fn overflowed(format: Format, rounding: Rounding, overflow: Overflow, negative: bool) -> u64 {
    let back = match rounding {
        Rounding::NearestEven | Rounding::NearestAway | Rounding::Stochastic { .. } => false,
        Rounding::TowardZero => true,
        Rounding::TowardNegative => !negative,
        Rounding::TowardPositive => negative,
    };
    let beyond = match format.specials {
        Specials::InfinityAndNan => format.infinity(),
        Specials::Nan => format.nan(),
        Specials::None => None,
    };
    match (overflow, beyond) {
        (Overflow::Infinity, Some(beyond)) if !back => beyond,
        _ => format.largest_finite(),
    }
}

/// Whether a value rounds to less than the smallest normal magnitude when the exponent has no lower bound: what `.ftz` replaces by zero.
///
/// So a value that only the shorter mantissa of a subnormal would round up to the normal range counts as tiny, one that the full mantissa rounds
/// up does not. The constant folder of ptxas 13.0 decides the same for `mul.rn.ftz.f32`.
#[inline]
pub fn is_tiny(format: Format, rounding: Rounding, value: Exact) -> bool {
    let below = format.smallest_exponent() - 1;
    if value.is_zero() || value.leading() != below {
        return value.is_zero() || value.leading() < below;
    }
    let drop = below - format.mantissa_bits as i32 - value.exponent;
    round_bits(rounding, value, drop).is_some_and(|kept| kept >> (format.mantissa_bits + 1) == 0)
}

/// Rounds to an integer and gives its magnitude, `None` if it takes more than 128 bits.
///
/// ```
/// use warpsmith_numerics::round::{round_to_integer, Exact, Rounding};
/// let minus_two_and_a_half = Exact { negative: true, significand: 5, exponent: -1, inexact: false };
/// assert_eq!(round_to_integer(Rounding::NearestEven, minus_two_and_a_half), Some(2));
/// assert_eq!(round_to_integer(Rounding::TowardNegative, minus_two_and_a_half), Some(3));
/// ```
#[inline]
pub fn round_to_integer(rounding: Rounding, value: Exact) -> Option<u128> {
    round_bits(rounding, value, value.exponent.saturating_neg())
}

/// The significand without its `drop` lowest bits, rounded; a negative `drop` appends zeros. `None` if the result takes more than 128 bits.
#[inline]
fn round_bits(rounding: Rounding, value: Exact, drop: i32) -> Option<u128> {
    let significand = value.significand;
    if drop <= 0 {
        debug_assert!(!value.inexact || drop == 0, "too few bits for an inexact value");
        let up = drop.unsigned_abs();
        return match significand {
            0 => Some(0),
            _ if up > significand.leading_zeros() => None,
            _ => Some(significand << up),
        };
    }
    let drop = drop.unsigned_abs();
    if let (Ok(narrow), 1..=63) = (u64::try_from(significand), drop) {
        // Nearly every value: half the width and no shift beyond it.
        let (kept, discarded) = (narrow >> drop, narrow & ((1 << drop) - 1));
        let against_half = discarded.cmp(&(1 << (drop - 1)));
        let increment = increments(rounding, value, kept & 1 == 1, discarded != 0, against_half, || {
            carries(u128::from(discarded), drop, rounding)
        });
        return Some(u128::from(kept + u64::from(increment)));
    }
    let kept = significand.checked_shr(drop).unwrap_or(0);
    let discarded = if drop < 128 {
        significand & ((1 << drop) - 1)
    } else {
        significand
    };
    let against_half = if drop <= 128 {
        discarded.cmp(&(1 << (drop - 1)))
    } else {
        Ordering::Less
    };
    let increment = increments(rounding, value, kept & 1 == 1, discarded != 0, against_half, || {
        carries(discarded, drop, rounding)
    });
    Some(kept + u128::from(increment))
}

/// Whether rounding takes the kept bits one up, from whether they are odd and what the discarded bits are: not zero, how they compare with one
/// half, and whether they carry with the random bits.
#[inline]
fn increments(
    rounding: Rounding,
    value: Exact,
    odd: bool,
    discarded: bool,
    against_half: Ordering,
    carries: impl Fn() -> bool,
) -> bool {
    match rounding {
        Rounding::NearestEven => match against_half {
            Ordering::Less => false,
            Ordering::Equal => odd || value.inexact,
            Ordering::Greater => true,
        },
        Rounding::TowardZero => false,
        Rounding::TowardNegative => value.negative && (discarded || value.inexact),
        Rounding::TowardPositive => !value.negative && (discarded || value.inexact),
        Rounding::NearestAway => against_half.is_ge(),
        Rounding::Stochastic { .. } => carries(),
    }
}

/// Whether the most significant of `drop` discarded bits plus the random number of a stochastic rounding carry.
#[cold]
fn carries(discarded: u128, drop: u32, rounding: Rounding) -> bool {
    let Rounding::Stochastic { random, bits } = rounding else {
        return false;
    };
    let fraction = match drop.checked_sub(bits) {
        Some(below) => discarded.checked_shr(below).unwrap_or(0),
        None => discarded << (bits - drop),
    };
    fraction + u128::from(random) >= 1 << bits
}

#[cfg(test)]
mod tests {
    use super::{Exact, Overflow, Rounding, Unpacked, is_tiny, round, round_to_integer, unpack};
    use crate::format::{ALL, E2M1, E4M3, E5M2, F16, F32, F64, TF32, UE8M0};

    const fn exact(negative: bool, significand: u128, exponent: i32) -> Exact {
        Exact {
            negative,
            significand,
            exponent,
            inexact: false,
        }
    }

    const ROUNDINGS: [Rounding; 6] = [
        Rounding::NearestEven,
        Rounding::TowardZero,
        Rounding::TowardNegative,
        Rounding::TowardPositive,
        Rounding::NearestAway,
        Rounding::Stochastic {
            random: 0xffff,
            bits: 16,
        },
    ];

    #[test]
    fn every_encoding_up_to_16_bits_comes_back() {
        for format in ALL.into_iter().filter(|f| f.width() <= 16) {
            for bits in 0..=format.mask() {
                let Unpacked::Finite(value) = unpack(format, bits) else {
                    continue;
                };
                for rounding in ROUNDINGS {
                    assert_eq!(
                        round(format, rounding, Overflow::Infinity, value),
                        bits,
                        "{} {bits:#x}",
                        format.name
                    );
                }
            }
        }
    }

    #[test]
    fn wide_edges_come_back() {
        for (format, bits) in [
            (F32, 1),
            (F32, 0x807f_ffff),
            (F32, 0x7f7f_ffff),
            (F64, 1),
            (F64, 0xffef_ffff_ffff_ffff),
        ] {
            let Unpacked::Finite(value) = unpack(format, bits) else {
                panic!("finite")
            };
            assert_eq!(round(format, Rounding::NearestEven, Overflow::Infinity, value), bits);
        }
        let Unpacked::Finite(value) = unpack(TF32, 0x3f80_1fff) else {
            panic!("finite")
        };
        assert_eq!(
            round(TF32, Rounding::NearestEven, Overflow::Infinity, value),
            0x3f80_0000
        );
    }

    #[test]
    fn ties_by_mode() {
        // 2049 lies midway between the f16 values 2048 (0x6800) and 2050 (0x6801).
        let results = |negative| ROUNDINGS.map(|mode| round(F16, mode, Overflow::Infinity, exact(negative, 2049, 0)));
        assert_eq!(results(false), [0x6800, 0x6800, 0x6800, 0x6801, 0x6801, 0x6801]);
        assert_eq!(results(true), [0xe800, 0xe800, 0xe801, 0xe800, 0xe801, 0xe801]);
    }

    #[test]
    fn overflow_by_mode() {
        let results = |negative| ROUNDINGS.map(|mode| round(F16, mode, Overflow::Infinity, exact(negative, 1, 16)));
        assert_eq!(results(false), [0x7c00, 0x7bff, 0x7bff, 0x7c00, 0x7c00, 0x7c00]);
        assert_eq!(results(true), [0xfc00, 0xfbff, 0xfc00, 0xfbff, 0xfc00, 0xfc00]);
        let clamp = |format| {
            round(
                format,
                Rounding::NearestEven,
                Overflow::LargestFinite,
                exact(true, 1, 1 << 20),
            )
        };
        assert_eq!([F16, E4M3, E5M2, E2M1].map(clamp), [0xfbff, 0xfe, 0xfb, 0xf]);
    }

    #[test]
    fn far_underflow() {
        let tiny = exact(false, 1, -1_000_000);
        let results = ROUNDINGS.map(|mode| round(F32, mode, Overflow::Infinity, tiny));
        assert_eq!(results, [0, 0, 0, 1, 0, 0]);
        let long = exact(false, (1 << 127) + 1, -127 - 150);
        assert_eq!(
            round(F32, Rounding::NearestEven, Overflow::Infinity, long),
            1,
            "just above half of the smallest"
        );
        assert_eq!(
            round(F32, Rounding::NearestAway, Overflow::Infinity, exact(false, 1, -150)),
            1
        );
        assert_eq!(
            round(F32, Rounding::NearestEven, Overflow::Infinity, exact(false, 1, -150)),
            0
        );
    }

    #[test]
    fn stochastic_rounding_carries_at_the_complement() {
        // 1 + 3/8 of an ulp of f16: the 13-bit fraction 0x0c00 carries with 0x1400 and more.
        let value = exact(false, (1 << 13) + 3, -13);
        let at = |random| {
            round(
                F16,
                Rounding::Stochastic { random, bits: 13 },
                Overflow::Infinity,
                value,
            )
        };
        assert_eq!((at(0x13ff), at(0x1400)), (0x3c00, 0x3c01));
    }

    #[test]
    fn powers_of_two_without_zero() {
        let at = |mode, value| round(UE8M0, mode, Overflow::LargestFinite, value);
        assert_eq!(at(Rounding::TowardZero, exact(false, 3, 0)), 0x80);
        assert_eq!(at(Rounding::TowardPositive, exact(false, 3, 0)), 0x81);
        assert_eq!(at(Rounding::TowardZero, exact(false, 1, -149)), 0x00);
        assert_eq!(at(Rounding::TowardPositive, exact(false, 1, -149)), 0x00);
        assert_eq!(at(Rounding::TowardPositive, exact(false, 3, -128)), 0x01);
        assert_eq!(at(Rounding::TowardPositive, exact(false, 3, 126)), 0xfe);
    }

    #[test]
    fn tiny_before_the_subnormal_rounding() {
        // 24 ones below 2^-126 are representable without a bound and stay tiny; 25 ones round up to 2^-126.
        let (representable, rounds_up) = (exact(false, (1 << 24) - 1, -150), exact(false, (1 << 25) - 1, -151));
        assert!(is_tiny(F32, Rounding::NearestEven, representable));
        assert!(!is_tiny(F32, Rounding::NearestEven, rounds_up));
        assert!(is_tiny(F32, Rounding::TowardZero, rounds_up));
        assert!(!is_tiny(F32, Rounding::NearestEven, exact(false, 1, -126)));
    }

    #[test]
    fn integers_from_halves() {
        let at = |negative| ROUNDINGS.map(|mode| round_to_integer(mode, exact(negative, 3, -1)));
        assert_eq!(at(false), [Some(2), Some(1), Some(1), Some(2), Some(2), Some(2)]);
        assert_eq!(at(true), [Some(2), Some(1), Some(2), Some(1), Some(2), Some(2)]);
        assert_eq!(round_to_integer(Rounding::NearestEven, exact(false, 1, 200)), None);
        assert_eq!(
            round_to_integer(Rounding::TowardPositive, exact(false, 1, i32::MIN)),
            Some(1)
        );
    }
}
