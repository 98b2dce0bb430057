//! The double-precision forms: a result of about 21 bits from the upper half of the operand, and one of full width refined from it.

use crate::float::{self, Modifiers};
use crate::format::F64;

use super::function::{NAN, SIGN, reciprocal_mantissa, reciprocal_square_root_mantissa};

/// Infinity in the upper half of a double.
const INFINITY: u32 = 0x7ff0_0000;

/// The upper half of a double as the unit sees it: NaN is known by its upper half alone.
enum Upper {
    Nan,
    Infinity,
    Zero,
    /// 1.`fraction` · 2^`exponent` with the 20 bits there are moved up to 23.
    Normal {
        exponent: i32,
        fraction: u32,
    },
}

fn classify(upper: u32) -> Upper {
    let fraction = upper & 0xf_ffff;
    match upper >> 20 & 0x7ff {
        0x7ff if fraction != 0 => Upper::Nan,
        0x7ff => Upper::Infinity,
        0 => Upper::Zero,
        field => Upper::Normal {
            exponent: field as i32 - 1023,
            fraction: fraction << 3,
        },
    }
}

/// The upper half of a double from an exponent in range and 23 fraction bits, the last three of which are dropped.
fn pack(exponent: i32, fraction: u32) -> u32 {
    ((exponent + 1023) as u32) << 20 | fraction >> 3
}

/// The machine's reciprocal of the upper half of a double (MUFU.RCP64H): upper half in, upper half out.
pub fn reciprocal_upper(upper: u32) -> u32 {
    let sign = upper & SIGN;
    match classify(upper) {
        Upper::Nan => NAN,
        Upper::Infinity => sign,
        Upper::Zero => sign | INFINITY,
        Upper::Normal { exponent, fraction } => {
            let (result, mantissa) = reciprocal_mantissa(fraction);
            match result - exponent {
                ..=-1023 => sign,
                exponent => sign | pack(exponent, mantissa),
            }
        }
    }
}

/// The machine's reciprocal square root of the upper half of a double (MUFU.RSQ64H).
pub fn reciprocal_square_root_upper(upper: u32) -> u32 {
    match classify(upper) {
        Upper::Nan => NAN,
        Upper::Zero => upper & SIGN | INFINITY,
        _ if upper & SIGN != 0 => NAN,
        Upper::Infinity => 0,
        Upper::Normal { exponent, fraction } => {
            let (result, mantissa) = reciprocal_square_root_mantissa(exponent & 1 != 0, fraction);
            pack(result - (exponent >> 1), mantissa)
        }
    }
}

/// `rcp.approx.ftz.f64`: the lower half of the operand is ignored, that of the result is zero. The relative error is at most 2^-20.
///
/// ```
/// use warpsmith_numerics::approximate::reciprocal_f64;
/// assert_eq!(reciprocal_f64(0x4008_0000_0000_0000), 0x3fd5_5555_0000_0000); // 1/3
/// assert_eq!(reciprocal_f64(0xffff_0000_0000_0000), 0x7fff_ffff_0000_0000);
/// ```
pub fn reciprocal_f64(x: u64) -> u64 {
    u64::from(reciprocal_upper((x >> 32) as u32)) << 32
}

/// `rsqrt.approx.ftz.f64`, like [`reciprocal_f64`].
///
/// ```
/// use warpsmith_numerics::approximate::reciprocal_square_root_f64;
/// assert_eq!(reciprocal_square_root_f64(0x4010_0000_0000_0000), 0x3fe0_0000_0000_0000); // 1/√4
/// ```
pub fn reciprocal_square_root_f64(x: u64) -> u64 {
    u64::from(reciprocal_square_root_upper((x >> 32) as u32)) << 32
}

/// 2^54 and its square root, which lift subnormal operands into the normal range and results back.
const LIFT: [u64; 2] = [0x4350_0000_0000_0000, 0x41a0_0000_0000_0000];
const ONE: u64 = 0x3ff0_0000_0000_0000;
const HALF: u64 = 0x3fe0_0000_0000_0000;
const THREE_EIGHTHS: u64 = 0x3fd8_0000_0000_0000;

/// `rsqrt.approx.f64`: the machine's reciprocal square root refined once, by the sequence that ptxas 13.0 makes. Subnormal operands count.
///
/// ```
/// use warpsmith_numerics::approximate::refined_reciprocal_square_root;
/// assert_eq!(refined_reciprocal_square_root(0x4000_0000_0000_0000), 0x3fe6_a09e_667f_3bcd); // 1/√2
/// assert_eq!(refined_reciprocal_square_root(0xbff0_0000_0000_0000), 0xfff8_0000_0000_0000);
/// ```
pub fn refined_reciprocal_square_root(x: u64) -> u64 {
    let sign = x & F64.sign_bit();
    if F64.is_zero(x) {
        sign | u64::from(INFINITY) << 32
    } else if F64.is_nan(x) {
        float::add(F64, Modifiers::default(), x, x)
    } else if sign != 0 {
        0xfff8_0000_0000_0000
    } else if F64.is_infinite(x) {
        0
    } else if F64.is_subnormal(x) {
        multiply(refine(multiply(x, LIFT[0])), LIFT[1])
    } else {
        refine(x)
    }
}

fn multiply(a: u64, b: u64) -> u64 {
    float::mul(F64, Modifiers::default(), a, b)
}

/// y + y·e·(1/2 + 3/8·e) for the machine's y and e = 1 - x·y².
fn refine(x: u64) -> u64 {
    let fused = |a, b, c| float::fma(F64, Modifiers::default(), a, b, c);
    let start = reciprocal_square_root_f64(x);
    let square = multiply(start, start);
    let error = fused(x, float::neg(F64, false, square), ONE);
    let factor = fused(error, THREE_EIGHTHS, HALF);
    fused(factor, multiply(start, error), start)
}

#[cfg(test)]
mod tests {
    use super::{reciprocal_square_root_upper, reciprocal_upper};

    #[test]
    fn special_values() {
        let values = [
            0xfff0_0000,
            0x800f_ffff,
            0x8000_0000,
            0,
            0x000f_ffff,
            0x7ff0_0000,
            0x7ff8_0000,
        ];
        assert_eq!(
            values.map(reciprocal_upper),
            [
                0x8000_0000,
                0xfff0_0000,
                0xfff0_0000,
                0x7ff0_0000,
                0x7ff0_0000,
                0,
                0x7fff_ffff
            ]
        );
        assert_eq!(
            values.map(reciprocal_square_root_upper),
            [
                0x7fff_ffff,
                0xfff0_0000,
                0xfff0_0000,
                0x7ff0_0000,
                0x7ff0_0000,
                0,
                0x7fff_ffff
            ]
        );
        assert_eq!(reciprocal_square_root_upper(0xbff0_0000), 0x7fff_ffff);
    }

    #[test]
    fn subnormal_results_are_zero() {
        assert_eq!(reciprocal_upper(0x7fd0_0000), 0x0010_0000); // 2^1022
        assert_eq!(reciprocal_upper(0x7fd0_0001), 0);
        assert_eq!(reciprocal_upper(0xffe0_0000), 0x8000_0000);
    }
}
