//! The single-precision forms of PTX: the special function unit, with scaling around it where subnormal values count.
//!
//! The scalings are those of ptxas 13.0, the same from sm_75 to sm_120: what they do to the last bit is part of the result.

use super::function::Function;
use crate::float::{self, Modifiers};
use crate::format::F32;
use crate::round::Rounding;

/// 2^24, which lifts every subnormal value into the normal range.
const LIFT: i32 = 24;
/// The magnitude of 2^126, from above which a reciprocal is subnormal.
const LARGE: u32 = 0x7e80_0000;
/// 1/2π as ptxas writes it.
const REVOLUTIONS_PER_RADIAN: u32 = 0x3e22_f983;
/// The logarithm of 2^-24.
const MINUS_24: u32 = 0xc1c0_0000;

/// The product of two values. `ftz`: subnormal operands and results become zero.
fn multiply(a: u32, b: u32, rounding: Rounding, ftz: bool) -> u32 {
    let modifiers = Modifiers {
        ftz,
        ..Modifiers::from(rounding)
    };
    float::mul(F32, modifiers, u64::from(a), u64::from(b)) as u32
}

/// A value times a power of two.
fn scale(bits: u32, exponent: i32) -> u32 {
    multiply(bits, ((127 + exponent) as u32) << 23, Rounding::NearestEven, false)
}

/// The magnitude bits.
fn magnitude(x: u32) -> u32 {
    x & 0x7fff_ffff
}

fn is_small(x: u32) -> bool {
    magnitude(x) < 0x0080_0000
}

fn is_large(x: u32) -> bool {
    magnitude(x) > LARGE && magnitude(x) <= 0x7f80_0000
}

/// `rcp.approx.f32`, with `.ftz` where `ftz`. At most 1 ulp off.
///
/// ```
/// use warpsmith_numerics::approximate::reciprocal;
/// assert_eq!(reciprocal(0x7f00_0000, false), 0x0040_0000); // 1/2^127 is subnormal
/// assert_eq!(reciprocal(0x7f00_0000, true), 0);
/// ```
pub fn reciprocal(x: u32, ftz: bool) -> u32 {
    let scaling = match ftz {
        false if is_small(x) => LIFT,
        false if is_large(x) => -2,
        _ => return Function::Reciprocal.evaluate(x),
    };
    scale(Function::Reciprocal.evaluate(scale(x, scaling)), scaling)
}

/// `sqrt.approx.f32`. The relative error is at most 2^-23.
pub fn square_root(x: u32, ftz: bool) -> u32 {
    if ftz || !is_small(x) {
        return Function::SquareRoot.evaluate(x);
    }
    scale(Function::SquareRoot.evaluate(scale(x, LIFT)), -LIFT / 2)
}

/// `rsqrt.approx.f32`. The relative error is at most 2^-22.9.
pub fn reciprocal_square_root(x: u32, ftz: bool) -> u32 {
    if ftz || !is_small(x) {
        return Function::ReciprocalSquareRoot.evaluate(x);
    }
    scale(Function::ReciprocalSquareRoot.evaluate(scale(x, LIFT)), LIFT / 2)
}

/// `sin.approx.f32` of an angle in radians. The absolute error is at most 2^-20.5 from -2π to 2π.
///
/// `.ftz` changes nothing: the unit takes subnormal angles as zero.
pub fn sine(x: u32) -> u32 {
    Function::Sine.evaluate(multiply(x, REVOLUTIONS_PER_RADIAN, Rounding::TowardZero, false))
}

/// `cos.approx.f32` of an angle in radians. The documented absolute error is 2^-20.5 from -2π to 2π; the silicon's model reaches 2^-20.43.
pub fn cosine(x: u32) -> u32 {
    Function::Cosine.evaluate(multiply(x, REVOLUTIONS_PER_RADIAN, Rounding::TowardZero, false))
}

/// `lg2.approx.f32`. The absolute error is at most 2^-22 for an operand between 0.5 and 2, else the relative error is.
pub fn logarithm(x: u32, ftz: bool) -> u32 {
    if ftz || !is_small(x) {
        return Function::Logarithm.evaluate(x);
    }
    let lifted = Function::Logarithm.evaluate(scale(x, LIFT));
    float::add(F32, Modifiers::default(), u64::from(lifted), u64::from(MINUS_24)) as u32
}

/// `ex2.approx.f32`. At most 2 ulp off; the relative error is at most 2^-22.
pub fn exponential(x: u32, ftz: bool) -> u32 {
    // Below -126 the result may be subnormal: the square of that for half the operand.
    let below = x > 0xc2fc_0000 && x <= 0xff80_0000;
    if ftz || !below {
        return Function::Exponential.evaluate(x);
    }
    let root = Function::Exponential.evaluate(scale(x, -1));
    multiply(root, root, Rounding::NearestEven, false)
}

/// `tanh.approx.f32`. The relative error is at most 2^-11; subnormal operands are their own result.
pub fn tangent(x: u32) -> u32 {
    Function::Tangent.evaluate(x)
}

/// `div.approx.f32`: a times the reciprocal of b. At most 2 ulp off for a divisor from 2^-126 to 2^126; larger divisors give zero, or NaN for
/// an infinite dividend.
///
/// ```
/// use warpsmith_numerics::approximate::divide;
/// assert_eq!(divide(0x40c0_0000, 0x4040_0000, false), 0x4000_0000); // 6/3
/// assert_eq!(divide(0x7f00_0000, 0x7f00_0000, false), 0); // 2^127 / 2^127
/// ```
pub fn divide(a: u32, b: u32, ftz: bool) -> u32 {
    let (a, b) = if !ftz && is_small(b) {
        (scale(a, LIFT), scale(b, LIFT))
    } else {
        (a, b)
    };
    multiply(a, Function::Reciprocal.evaluate(b), Rounding::NearestEven, ftz)
}

/// `div.full.f32`: as [`divide`], with both operands scaled so that any divisor is in range. At most 2 ulp off.
///
/// ```
/// use warpsmith_numerics::approximate::divide_full;
/// assert_eq!(divide_full(0x7f00_0000, 0x7f00_0000, false), 0x3f80_0000); // 2^127 / 2^127
/// ```
pub fn divide_full(a: u32, b: u32, ftz: bool) -> u32 {
    if !is_large(b) {
        return divide(a, b, ftz);
    }
    let quarter = |x| multiply(x, 0x3e80_0000, Rounding::NearestEven, ftz);
    multiply(
        quarter(a),
        Function::Reciprocal.evaluate(quarter(b)),
        Rounding::NearestEven,
        ftz,
    )
}
