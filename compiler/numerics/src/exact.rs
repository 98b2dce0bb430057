//! Exact sums, products, quotients and square roots, or as many bits of them as any rounding can ask for.

use crate::round::{Exact, Rounding};

/// Bits that a quotient or root has beyond the mantissa: the hidden bit, one to round and one for a normalisation that is off by one.
const GUARD: u32 = 3;

/// The product of two values whose significands together take at most 128 bits.
///
/// ```
/// use warpsmith_numerics::{exact::product, round::Exact};
/// let three = Exact::integer(false, 3);
/// assert_eq!(product(three, Exact::integer(true, 5)), Exact::integer(true, 15));
/// ```
#[inline]
pub fn product(a: Exact, b: Exact) -> Exact {
    debug_assert!(!a.inexact && !b.inexact);
    Exact {
        negative: a.negative != b.negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
        inexact: false,
    }
}

/// The sum of two values, neither inexact, with significands of at most 124 bits.
///
/// A sum of zero has the sign of both operands where they agree, else it is negative only where `rounding` is toward negative infinity.
/// The sum is exact or has at least 60 bits.
#[inline]
pub fn sum(a: Exact, b: Exact, rounding: Rounding) -> Exact {
    debug_assert!(!a.inexact && !b.inexact);
    if a.is_zero() && b.is_zero() {
        let negative = if a.negative == b.negative {
            a.negative
        } else {
            rounding == Rounding::TowardNegative
        };
        return Exact::zero(negative);
    }
    let (large, small) = if a.leading() >= b.leading() { (a, b) } else { (b, a) };
    if small.is_zero() {
        return large;
    }
    match (u64::try_from(large.significand), u64::try_from(small.significand)) {
        (Ok(high), Ok(low)) if (high | low) >> 60 == 0 => sum_narrow((large, high), (small, low), rounding),
        _ => sum_wide((large, large.significand), (small, small.significand), rounding),
    }
}

/// Defines the sum of two values, the first with the higher or the same leading bit, on significands of an integer type. The larger operand's
/// leading bit is moved to bit `$top`, so that there is room for a carry and, where bits of the smaller are lost, at most one leading bit is.
macro_rules! aligned_sum {
    ($name:ident, $int:ty, $top:expr) => {
        #[inline]
        fn $name((large, high): (Exact, $int), (small, low): (Exact, $int), rounding: Rounding) -> Exact {
            let up = $top - (<$int>::BITS - 1 - high.leading_zeros()) as i32;
            let exponent = large.exponent - up;
            let high = high << up;
            let down = exponent - small.exponent;
            let (low, rest) = if down <= 0 {
                (low << -down, false)
            } else {
                let shifted = low.checked_shr(down as u32).unwrap_or(0);
                (shifted, shifted.checked_shl(down as u32).unwrap_or(0) != low)
            };
            if large.negative == small.negative {
                return Exact {
                    negative: large.negative,
                    significand: (high + low).into(),
                    exponent,
                    inexact: rest,
                };
            }
            // What was shifted out of the subtrahend is missing from the difference: one less, and something more.
            let subtrahend = low + <$int>::from(rest);
            if high == subtrahend {
                return Exact::zero(rounding == Rounding::TowardNegative);
            }
            let negative = if high > subtrahend {
                large.negative
            } else {
                small.negative
            };
            Exact {
                negative,
                significand: high.abs_diff(subtrahend).into(),
                exponent,
                inexact: rest,
            }
        }
    };
}

aligned_sum!(sum_narrow, u64, 61);
aligned_sum!(sum_wide, u128, 125);

/// The quotient of two values other than zero with significands of at most 64 bits, with enough bits for a format of `mantissa_bits`.
///
/// ```
/// use warpsmith_numerics::{exact::quotient, round::Exact};
/// let third = quotient(Exact::integer(false, 1), Exact::integer(false, 3), 10);
/// assert_eq!((third.significand, third.exponent, third.inexact), (0x1555, -14, true));
/// ```
#[inline]
pub fn quotient(a: Exact, b: Exact, mantissa_bits: u32) -> Exact {
    debug_assert!(!a.is_zero() && !b.is_zero() && !a.inexact && !b.inexact);
    // The dividend has mantissa + guard bits more than the divisor, so the quotient has at least that many.
    let wanted = 128 - b.significand.leading_zeros() + mantissa_bits + GUARD;
    let shift = wanted.saturating_sub(128 - a.significand.leading_zeros());
    let dividend = a.significand << shift;
    Exact {
        negative: a.negative != b.negative,
        significand: dividend / b.significand,
        exponent: a.exponent - b.exponent - shift as i32,
        inexact: !dividend.is_multiple_of(b.significand),
    }
}

/// The square root of a positive value with a significand of at most 64 bits, with enough bits for a format of at most 52 mantissa bits.
///
/// ```
/// use warpsmith_numerics::{exact::square_root, round::Exact};
/// let root = square_root(Exact { negative: false, significand: 9, exponent: -2, inexact: false });
/// assert_eq!(root.significand >> -root.exponent, 1); // 1.5
/// assert!(!root.inexact);
/// ```
#[inline]
pub fn square_root(a: Exact) -> Exact {
    debug_assert!(!a.is_zero() && !a.inexact && !a.negative);
    // As many zeros below as there is room for and an even exponent.
    let mut shift = a.significand.leading_zeros();
    if (a.exponent - shift as i32) & 1 != 0 {
        shift -= 1;
    }
    let radicand = a.significand << shift;
    let root = radicand.isqrt();
    Exact {
        negative: false,
        significand: root,
        exponent: (a.exponent - shift as i32) / 2,
        inexact: root * root != radicand,
    }
}

#[cfg(test)]
mod tests {
    use super::{product, sum};
    use crate::round::{Exact, Rounding};

    fn value(sum: Exact) -> (bool, u128, bool) {
        (
            sum.negative,
            if sum.exponent < 0 {
                sum.significand >> -sum.exponent
            } else {
                sum.significand << sum.exponent
            },
            sum.inexact,
        )
    }

    #[test]
    fn sums_of_small_integers() {
        let add = |a: i32, b: i32| {
            let of = |x: i32| Exact::integer(x < 0, u128::from(x.unsigned_abs()));
            value(sum(of(a), of(b), Rounding::NearestEven))
        };
        assert_eq!(add(3, 5), (false, 8, false));
        assert_eq!(add(3, -5), (true, 2, false));
        assert_eq!(add(-7, 6), (true, 1, false));
        assert_eq!(add(0, -6), (true, 6, false));
    }

    #[test]
    fn sums_of_every_width() {
        for bits in [59, 60, 61, 63, 64, 100] {
            let total = sum(
                Exact::integer(false, 1 << bits),
                Exact::integer(true, 1),
                Rounding::NearestEven,
            );
            assert_eq!(value(total), (false, (1 << bits) - 1, false), "2^{bits} - 1");
        }
    }

    #[test]
    fn sign_of_a_zero_sum() {
        let (plus, minus) = (Exact::zero(false), Exact::zero(true));
        assert!(sum(minus, minus, Rounding::NearestEven).negative);
        assert!(!sum(plus, minus, Rounding::NearestEven).negative);
        assert!(sum(plus, minus, Rounding::TowardNegative).negative);
        let one = Exact::integer(false, 1);
        let minus_one = Exact::integer(true, 1);
        assert!(!sum(one, minus_one, Rounding::TowardPositive).negative);
        assert!(sum(one, minus_one, Rounding::TowardNegative).negative);
    }

    #[test]
    fn far_operands_leave_a_mark() {
        let one = Exact::integer(false, 1);
        let tiny = Exact {
            negative: true,
            significand: 1,
            exponent: -2000,
            inexact: false,
        };
        let difference = sum(one, tiny, Rounding::NearestEven);
        assert_eq!(
            (difference.significand, difference.exponent, difference.inexact),
            ((1 << 61) - 1, -61, true)
        );
        let total = sum(
            one,
            Exact {
                negative: false,
                ..tiny
            },
            Rounding::NearestEven,
        );
        assert_eq!((total.significand, total.exponent, total.inexact), (1 << 61, -61, true));
    }

    #[test]
    fn products_keep_signs_of_zero() {
        assert!(product(Exact::zero(true), Exact::integer(false, 3)).negative);
    }
}
