//! The hyperbolic tangent, within the documented bounds.

use super::tables;
use crate::format::Format;
use crate::round::{Exact, Overflow, Rounding, Unpacked, round, unpack};

/// Fraction bits of the coefficients and of their sum.
const COEFFICIENT_BITS: u32 = 30;
/// Bits of the position within a segment.
const POSITION_BITS: u32 = 20;
/// Segments of one unit of the argument.
const SEGMENTS_PER_UNIT_BITS: u32 = 4;
/// The exponent from which on the result is ±1: 1 - tanh 8 is 2^-22.
const SATURATION: i32 = 3;

/// tanh x in a format, as x times a quadratic for tanh(x)/x, rounded once.
///
/// No public model of the hardware is known; the relative error of the f32 form is below 2^-19 where 2^-11 is documented.
pub(super) fn tangent(format: &Format, bits: u64) -> u64 {
    let value = match unpack(*format, bits) {
        Unpacked::Nan => return format.nan().unwrap_or(0),
        Unpacked::Infinite { negative } => return signed_one(format, negative),
        Unpacked::Finite(value) => value,
    };
    // A value this small is its own tangent.
    if value.is_zero() || format.is_subnormal(bits) {
        return bits;
    }
    if value.leading() >= SATURATION {
        return signed_one(format, value.negative);
    }
    let result = Exact {
        significand: value.significand * u128::from(ratio(value)),
        exponent: value.exponent - COEFFICIENT_BITS as i32,
        ..value
    };
    round(*format, Rounding::NearestEven, Overflow::Infinity, result)
}

fn signed_one(format: &Format, negative: bool) -> u64 {
    format.one() | if negative { format.sign_bit() } else { 0 }
}

/// tanh(x)/x with [`COEFFICIENT_BITS`] fraction bits, for a magnitude below 8.
fn ratio(value: Exact) -> u32 {
    // The argument in units of 2^-24: four bits choose the segment within a unit, twenty the position in it.
    let shift = value.exponent + (SEGMENTS_PER_UNIT_BITS + POSITION_BITS) as i32;
    let argument = if shift >= 0 {
        value.significand << shift
    } else {
        value.significand.checked_shr(shift.unsigned_abs()).unwrap_or(0)
    };
    let position = (argument & ((1 << POSITION_BITS) - 1)) as i64;
    let [constant, linear, quadratic] = tables::TANGENT[(argument >> POSITION_BITS) as usize & 127].map(i64::from);
    let slope = linear + ((quadratic * position) >> POSITION_BITS);
    ((constant + ((slope * position) >> POSITION_BITS)) as u32).min(1 << COEFFICIENT_BITS)
}

#[cfg(test)]
mod tests {
    use super::tangent;
    use crate::format::{BF16, F16, F32};

    #[test]
    fn halves() {
        assert_eq!(tangent(&F16, 0x3c00), 0x3a18); // tanh 1 = 0.7616
        assert_eq!(tangent(&F16, 0xc800), 0xbc00); // -8
        assert_eq!(tangent(&BF16, 0x3f80), 0x3f43);
        assert_eq!(tangent(&F16, 0x8001), 0x8001, "the smallest value is its own tangent");
    }

    #[test]
    fn approaches_one_without_exceeding_it() {
        for bits in (0x3f80_0000..0x4110_0000u64).step_by(4093) {
            let result = tangent(&F32, bits);
            assert!(result <= 0x3f80_0000, "{bits:#x} {result:#x}");
        }
    }
}
