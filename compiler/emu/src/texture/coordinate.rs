//! Positions in an image, in fixed point.
//!
//! A position has 64 bits below the point and is rounded downwards when it is made, which changes neither its floor nor the multiple of 1/256
//! that it is rounded to.

use warpsmith_numerics::{
    format::F32,
    round::{Exact, Unpacked, unpack},
};

/// A number with 64 bits below the point.
pub(super) type Fixed = i128;

/// One.
pub(super) const UNIT: Fixed = 1 << 64;
/// Larger coordinates are this large. It is even, so that repeated and mirrored images go on as before.
const LIMIT: Fixed = UNIT << 30;

/// The significand shifted to the fixed point, rounded downwards with its sign; `extra` is added to the exponent.
pub(super) fn from_exact(value: Exact, extra: i32) -> Fixed {
    let leading = value.leading() + extra;
    if value.significand == 0 {
        return 0;
    }
    if leading >= 30 {
        return if value.negative { -LIMIT } else { LIMIT };
    }
    let shift = value.exponent + extra + 64;
    let (magnitude, rest) = if shift >= 0 {
        (value.significand << shift, false)
    } else {
        let kept = value.significand.checked_shr(shift.unsigned_abs()).unwrap_or(0);
        let rest = kept.checked_shl(shift.unsigned_abs()).unwrap_or(0) != value.significand;
        (kept, rest || value.inexact)
    };
    let magnitude = magnitude as Fixed;
    if value.negative {
        -magnitude - Fixed::from(rest)
    } else {
        magnitude
    }
}

/// An `f32` as a fixed-point number; not-a-number is zero.
pub(super) fn fixed(bits: u32) -> Fixed {
    match unpack(F32, bits.into()) {
        Unpacked::Nan => 0,
        Unpacked::Infinite { negative: true } => -LIMIT,
        Unpacked::Infinite { negative: false } => LIMIT,
        Unpacked::Finite(value) => from_exact(value, 0),
    }
}

/// A level of detail: an `f32` in 256ths, rounded to nearest, ties upwards.
pub(super) fn detail(bits: u32) -> i64 {
    nearest_256th(fixed(bits))
}

/// The nearest multiple of 1/256, ties upwards, in 256ths.
pub(super) fn nearest_256th(value: Fixed) -> i64 {
    ((value + (1 << 55)) >> 56) as i64
}

/// Which texels of a row a filter takes: `first` and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Footprint {
    pub(super) first: i64,
    /// The weight of the next, in 256ths: 0 to 255.
    pub(super) weight: u64,
}

/// The texel at a position.
pub(super) fn point(position: Fixed) -> Footprint {
    Footprint {
        first: (position >> 64) as i64,
        weight: 0,
    }
}

/// The two texels around a position; texels are at their centres.
pub(super) fn linear(position: Fixed) -> Footprint {
    let place = nearest_256th(position - UNIT / 2);
    Footprint {
        first: place >> 8,
        weight: (place & 0xff) as u64,
    }
}

/// Half the binary logarithm of `square` · 2^-48, in 256ths, rounded to nearest: the level of detail of a squared gradient. Far below zero
/// for zero.
pub(super) fn half_logarithm(square: u128) -> i64 {
    if square == 0 {
        return -(1 << 16);
    }
    let leading = 127 - square.leading_zeros() as i64;
    // The mantissa with 63 bits below the point.
    let mut mantissa = if leading >= 63 {
        square >> (leading - 63)
    } else {
        square << (63 - leading)
    };
    let mut logarithm = leading - 48;
    for _ in 0..8 {
        mantissa = (mantissa * mantissa) >> 63;
        let carry = mantissa >> 64 != 0;
        mantissa >>= u32::from(carry);
        logarithm = 2 * logarithm + i64::from(carry);
    }
    // 256ths of the whole logarithm are 512ths of half of it.
    (logarithm + 1) >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_point() {
        assert_eq!(fixed(1.5f32.to_bits()), UNIT + UNIT / 2);
        assert_eq!(fixed((-0.25f32).to_bits()), -UNIT / 4);
        assert_eq!(fixed(f32::NAN.to_bits()), 0);
        assert_eq!(fixed(f32::NEG_INFINITY.to_bits()), fixed((-1e30f32).to_bits()));
        // The smallest negative number is below zero.
        assert_eq!(point(fixed(0x8000_0001)).first, -1);
        assert_eq!(point(fixed(1)).first, 0);
    }

    #[test]
    fn footprints() {
        let at = |x: f32| {
            let Footprint { first, weight } = linear(fixed(x.to_bits()));
            (first, weight)
        };
        assert_eq!(at(0.5), (0, 0));
        assert_eq!(at(0.75), (0, 64));
        assert_eq!(at(0.0), (-1, 128));
        // A 512th is a tie, which goes up; just below it does not.
        assert_eq!(at(1.5 + 1.0 / 512.0), (1, 1));
        assert_eq!(at(1.5 + 1.0 / 513.0), (1, 0));
        // Within a 512th of the next texel: there.
        assert_eq!(at(2.5 - 1.0 / 1024.0), (2, 0));
    }

    #[test]
    fn logarithms() {
        let square = |x: f64| ((x * x) * (1u64 << 48) as f64) as u128;
        assert_eq!(half_logarithm(square(1.0)), 0);
        assert_eq!(half_logarithm(square(8.0)), 3 * 256);
        assert_eq!(half_logarithm(square(0.5)), -256);
        // log2 3 = 1.58496…, 405.75 256ths.
        assert_eq!(half_logarithm(square(3.0)), 406);
        assert!(half_logarithm(0) < -10_000);
    }
}
