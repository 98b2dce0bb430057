//! What the tests compare with: exact reals as big integers and a rounding written apart from the crate's.

#![allow(dead_code, reason = "each test binary uses a part")]

use num_bigint::BigUint;
use std::cmp::Ordering;
use warpsmith_numerics::format::{Format, Specials};
use warpsmith_numerics::round::Rounding;

/// A positive real number or zero.
#[derive(Clone, Debug)]
pub(crate) enum Real {
    /// `.0` · 2^`.1`
    Dyadic(BigUint, i64),
    /// `.0` / `.1` · 2^`.2`
    Ratio(BigUint, BigUint, i64),
    /// The square root of `.0` · 2^`.1`
    Root(BigUint, i64),
}

impl Real {
    /// floor(self / 2^k), and whether there is a rest.
    fn floor(&self, k: i64) -> (BigUint, bool) {
        match self {
            Real::Dyadic(n, e) => shifted(n, e - k),
            Real::Ratio(n, d, e) => {
                let (n, d) = if *e >= k {
                    (n << (e - k) as u64, d.clone())
                } else {
                    (n.clone(), d << (k - e) as u64)
                };
                (&n / &d, &n % &d != BigUint::ZERO)
            }
            Real::Root(n, e) => {
                let (square, rest) = shifted(n, e - 2 * k);
                let root = square.sqrt();
                let exact = !rest && &root * &root == square;
                (root, !exact)
            }
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Real::Dyadic(n, _) | Real::Ratio(n, _, _) | Real::Root(n, _) if *n == BigUint::ZERO)
    }

    /// The exponent of the leading bit.
    fn leading(&self) -> i64 {
        let mut k = match self {
            Real::Dyadic(n, e) => n.bits() as i64 + e,
            Real::Ratio(n, d, e) => n.bits() as i64 - d.bits() as i64 + e + 1,
            Real::Root(n, e) => (n.bits() as i64 + e) / 2 + 1,
        };
        while self.floor(k).0 == BigUint::ZERO {
            k -= 1;
        }
        k
    }

    /// The nearest integer multiple of 2^k in the direction of the mode, as that integer.
    fn rounded(&self, k: i64, rounding: Rounding, negative: bool) -> BigUint {
        let (floor, rest) = self.floor(k);
        if let Rounding::Stochastic { random, bits } = rounding {
            let fraction = self.floor(k - i64::from(bits)).0 - (&floor << bits);
            return floor + u8::from(fraction + random >= BigUint::from(1u8) << bits);
        }
        // The fraction against one half.
        let (twice, below) = self.floor(k - 1);
        let odd_half = twice.bit(0);
        let against_half = match (odd_half, below) {
            (true, true) => Ordering::Greater,
            (true, false) => Ordering::Equal,
            (false, _) => Ordering::Less,
        };
        let up = match rounding {
            Rounding::NearestEven => {
                against_half == Ordering::Greater || (against_half == Ordering::Equal && floor.bit(0))
            }
            Rounding::NearestAway => against_half != Ordering::Less,
            Rounding::TowardZero => false,
            Rounding::TowardNegative => negative && rest,
            Rounding::TowardPositive => !negative && rest,
            Rounding::Stochastic { .. } => unreachable!("handled above"),
        };
        floor + u8::from(up)
    }
}

/// floor(n · 2^by), and whether there is a rest.
fn shifted(n: &BigUint, by: i64) -> (BigUint, bool) {
    if by >= 0 {
        return (n << by as u64, false);
    }
    let down = by.unsigned_abs();
    let rest = n.trailing_zeros().is_some_and(|zeros| zeros < down);
    (n >> down, rest)
}

/// The fields of an encoding: sign, exponent, mantissa.
fn fields(format: Format, bits: u64) -> (bool, u64, u64) {
    let bits = bits >> format.padding;
    let mantissa = bits & ((1 << format.mantissa_bits) - 1);
    let exponent = (bits >> format.mantissa_bits) & ((1 << format.exponent_bits) - 1);
    let sign = format.signed && (bits >> (format.mantissa_bits + format.exponent_bits)) & 1 == 1;
    (sign, exponent, mantissa)
}

/// Sign and magnitude of an encoding, if it is finite.
pub(crate) fn finite(format: Format, bits: u64) -> Option<(bool, Real)> {
    let (sign, exponent, mantissa) = fields(format, bits);
    let ones = (1 << format.exponent_bits) - 1;
    let all_ones = exponent == ones && mantissa == (1 << format.mantissa_bits) - 1;
    let special = match format.specials {
        Specials::InfinityAndNan => exponent == ones,
        Specials::Nan => all_ones,
        Specials::None => false,
    };
    let hidden = if exponent == 0 && format.has_zero {
        0
    } else {
        1 << format.mantissa_bits
    };
    let weight =
        exponent.max(u64::from(format.has_zero)) as i64 - i64::from(format.bias) - i64::from(format.mantissa_bits);
    (!special).then(|| (sign, Real::Dyadic(BigUint::from(mantissa | hidden), weight)))
}

pub(crate) fn is_nan(format: Format, bits: u64) -> bool {
    let (_, exponent, mantissa) = fields(format, bits);
    finite(format, bits).is_none() && (format.specials == Specials::Nan || mantissa != 0 || exponent == 0)
}

/// A real rounded to a format whose overflow goes to infinity, subnormal results flushed if `ftz`.
pub(crate) fn encode(format: Format, rounding: Rounding, ftz: bool, negative: bool, real: &Real) -> u64 {
    let sign = u64::from(negative && format.signed) << (format.mantissa_bits + format.exponent_bits + format.padding);
    if real.is_zero() {
        return sign;
    }
    let p = i64::from(format.mantissa_bits);
    let smallest = i64::from(format.has_zero) - i64::from(format.bias);
    let leading = real.leading();
    if ftz {
        // Rounded as if exponents had no end.
        let unbounded = real.rounded(leading - p, rounding, negative);
        if unbounded.bits() as i64 + leading - p <= smallest {
            return sign;
        }
    }
    let weight = leading.max(smallest) - p;
    let integer = real.rounded(weight, rounding, negative);
    let largest = largest(format);
    if greater(&integer, weight, &largest) {
        return sign | beyond(format, rounding, negative);
    }
    // Back to a significand of at most p + 1 bits.
    let (integer, weight) = if integer.bits() as i64 > p + 1 {
        (integer >> 1u8, weight + 1)
    } else {
        (integer, weight)
    };
    let significand = integer.iter_u64_digits().next().unwrap_or(0);
    let hidden = 1u64 << p;
    let code = if significand < hidden {
        assert!(format.has_zero || significand == 0, "no subnormal values here");
        significand
    } else {
        let field = weight + p + i64::from(format.bias);
        ((field as u64) << p) | (significand - hidden)
    };
    sign | code << format.padding
}

/// The largest finite value as significand and weight.
fn largest(format: Format) -> (BigUint, i64) {
    let top = (1u64 << (format.exponent_bits + format.mantissa_bits)) - 1;
    let code = match format.specials {
        Specials::InfinityAndNan => top - (1 << format.mantissa_bits),
        Specials::Nan => top - 1,
        Specials::None => top,
    };
    match finite(format, code << format.padding) {
        Some((_, Real::Dyadic(n, e))) => (n, e),
        _ => unreachable!("finite"),
    }
}

/// integer · 2^weight > largest
fn greater(integer: &BigUint, weight: i64, (n, e): &(BigUint, i64)) -> bool {
    let common = weight.min(*e);
    (integer << (weight - common) as u64) > (n << (e - common) as u64)
}

/// The magnitude of an overflow that no `.satfinite` holds back.
fn beyond(format: Format, rounding: Rounding, negative: bool) -> u64 {
    let top = (1u64 << (format.exponent_bits + format.mantissa_bits)) - 1;
    let toward_zero = match rounding {
        Rounding::TowardZero => true,
        Rounding::TowardNegative => !negative,
        Rounding::TowardPositive => negative,
        _ => false,
    };
    let code = match format.specials {
        Specials::InfinityAndNan if toward_zero => top - (1 << format.mantissa_bits),
        Specials::InfinityAndNan => top - ((1 << format.mantissa_bits) - 1),
        Specials::Nan if toward_zero => top - 1,
        Specials::Nan | Specials::None => top,
    };
    code << format.padding
}

/// The integer nearest to a real in the direction of the mode.
pub(crate) fn integer(rounding: Rounding, negative: bool, real: &Real) -> BigUint {
    real.rounded(0, rounding, negative)
}

/// a · b
pub(crate) fn product((a_sign, a): &(bool, Real), (b_sign, b): &(bool, Real)) -> (bool, Real) {
    match (a, b) {
        (Real::Dyadic(a, e), Real::Dyadic(b, f)) => (a_sign != b_sign, Real::Dyadic(a * b, e + f)),
        _ => unreachable!("only sums of products of encodings"),
    }
}

/// a + b; `None` where it is zero without being the sum of two zeros of one sign.
pub(crate) fn sum((a_sign, a): &(bool, Real), (b_sign, b): &(bool, Real)) -> Option<(bool, Real)> {
    let (Real::Dyadic(a, e), Real::Dyadic(b, f)) = (a, b) else {
        unreachable!("only sums of products of encodings")
    };
    let common = *e.min(f);
    let (a, b) = (a << (e - common) as u64, b << (f - common) as u64);
    if a_sign == b_sign {
        return Some((*a_sign, Real::Dyadic(a + b, common)));
    }
    match a.cmp(&b) {
        Ordering::Greater => Some((*a_sign, Real::Dyadic(a - b, common))),
        Ordering::Less => Some((*b_sign, Real::Dyadic(b - a, common))),
        Ordering::Equal => None,
    }
}

pub(crate) fn quotient((a_sign, a): &(bool, Real), (b_sign, b): &(bool, Real)) -> (bool, Real) {
    match (a, b) {
        (Real::Dyadic(a, e), Real::Dyadic(b, f)) => (a_sign != b_sign, Real::Ratio(a.clone(), b.clone(), e - f)),
        _ => unreachable!("only quotients of encodings"),
    }
}

pub(crate) fn root(a: &Real) -> Real {
    match a {
        Real::Dyadic(a, e) => Real::Root(a.clone(), *e),
        _ => unreachable!("only roots of encodings"),
    }
}

/// The four roundings of arithmetic.
pub(crate) const ROUNDINGS: [Rounding; 4] = [
    Rounding::NearestEven,
    Rounding::TowardZero,
    Rounding::TowardNegative,
    Rounding::TowardPositive,
];

/// How many random cases a sweep tries: `usual` times what WARPSMITH_NUMERICS_EFFORT says.
pub(crate) fn cases(usual: usize) -> usize {
    let effort = std::env::var("WARPSMITH_NUMERICS_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok());
    usual * effort.unwrap_or(1)
}

/// A xorshift generator: the same cases in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// An operand: now and then an edge, often one near another in exponent or with few mantissa bits, else anything.
    pub(crate) fn operand(&mut self, format: Format) -> u64 {
        let any = self.bits() & format.mask();
        let p = format.mantissa_bits;
        match self.below(8) {
            0 => {
                let edges = edges(format);
                edges[self.below(edges.len())]
            }
            1 | 2 => {
                // Close to 1.
                let exponent = (format.bias + self.below(2 * p as usize + 8) as i32 - p as i32 - 4).max(0) as u64;
                let mantissa = any & ((1 << p) - 1);
                ((exponent.min((1 << format.exponent_bits) - 1) << p) | mantissa) | (any & format.sign_bit())
            }
            3 => {
                // Few mantissa bits, so that results are exact or halfway.
                let keep = self.below(4) as u32;
                any & !(((1u64 << p) - 1) >> keep)
            }
            4 => {
                // The subnormal end.
                any & (format.sign_bit() | ((4 << p) - 1))
            }
            _ => any,
        }
    }
}

/// Encodings where something changes, of both signs.
pub(crate) fn edges(format: Format) -> Vec<u64> {
    let p = format.mantissa_bits;
    let one = format.one() >> format.padding;
    let top = (1u64 << (format.exponent_bits + p)) - 1;
    let infinity = top - ((1 << p) - 1);
    let magnitudes = [
        0,
        1,
        2,
        (1 << p) - 1,
        1 << p,
        (1 << p) + 1,
        one - 1,
        one,
        one + 1,
        one + (1 << p),
        one + (1 << p) / 2,
        one - (1 << p),
        infinity - 1,
        infinity,
        infinity + 1,
        top,
        (infinity - (1 << p)) | 1,
    ];
    magnitudes
        .into_iter()
        .flat_map(|magnitude| [0, format.sign_bit()].map(|sign| ((magnitude & top) << format.padding) | sign))
        .collect()
}
