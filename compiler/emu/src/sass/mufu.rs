//! The special function unit.

use warpsmith_numerics::approximate::{self, Function};

use super::{
    code::{LANES, Lanes},
    lanes::{LanesFunction, lanes},
};

lanes!(reciprocal, |a, _b, _c, _p| Function::Reciprocal.evaluate(a));
lanes!(reciprocal_square_root, |a, _b, _c, _p| Function::ReciprocalSquareRoot
    .evaluate(a));
lanes!(square_root, |a, _b, _c, _p| Function::SquareRoot.evaluate(a));
lanes!(sine, |a, _b, _c, _p| Function::Sine.evaluate(a));
lanes!(cosine, |a, _b, _c, _p| Function::Cosine.evaluate(a));
lanes!(exponential, |a, _b, _c, _p| Function::Exponential.evaluate(a));
lanes!(logarithm, |a, _b, _c, _p| Function::Logarithm.evaluate(a));
lanes!(tangent, |a, _b, _c, _p| Function::Tangent.evaluate(a));
lanes!(reciprocal_upper, |a, _b, _c, _p| approximate::reciprocal_upper(a));
lanes!(reciprocal_square_root_upper, |a, _b, _c, _p| {
    approximate::reciprocal_square_root_upper(a)
});

/// The parameter of a function of halves: the upper half of the operand.
pub(crate) const UPPER_HALF: u32 = 1;
/// The operand's magnitude.
pub(crate) const ABSOLUTE: u32 = 2;
/// The operand's sign is changed after that.
pub(crate) const NEGATE: u32 = 4;

/// A half with what is done to it.
fn half(word: u32, parameter: u32) -> u16 {
    let half = if parameter & UPPER_HALF != 0 { word >> 16 } else { word } as u16;
    let half = if parameter & ABSOLUTE != 0 { half & 0x7fff } else { half };
    if parameter & NEGATE != 0 { half ^ 0x8000 } else { half }
}

lanes!(exponential_f16, |a, _b, _c, p| approximate::exponential_f16(half(a, p))
    .into());
lanes!(exponential_bf16, |a, _b, _c, p| approximate::exponential_bf16(half(
    a, p
))
.into());
lanes!(tangent_f16, |a, _b, _c, p| approximate::tangent_f16(half(a, p)).into());
lanes!(tangent_bf16, |a, _b, _c, p| approximate::tangent_bf16(half(a, p))
    .into());
lanes!(exponential_f16x2, |a, _b, _c, p| approximate::both(
    |x| approximate::exponential_f16(half(x.into(), p)),
    a
));
lanes!(exponential_bf16x2, |a, _b, _c, p| approximate::both(
    |x| approximate::exponential_bf16(half(x.into(), p)),
    a
));

/// The function of a form without `.F16` and the like, by the modifier that names it.
pub(crate) fn single(name: &str) -> Option<LanesFunction> {
    Some(match name {
        "RCP" => reciprocal,
        "RSQ" => reciprocal_square_root,
        "SQRT" => square_root,
        "SIN" => sine,
        "COS" => cosine,
        "EX2" => exponential,
        "LG2" => logarithm,
        "TANH" => tangent,
        "RCP64H" => reciprocal_upper,
        "RSQ64H" => reciprocal_square_root_upper,
        _ => return None,
    })
}

/// The function of halves, by its modifier and that of the format. A scalar result stands in the lower half, below zero: ptxas stores it as
/// it is where PTX widens it.
pub(crate) fn of_halves(name: &str, format: &str) -> Option<LanesFunction> {
    Some(match (name, format) {
        ("EX2", "F16") => exponential_f16,
        ("EX2", "BF16") => exponential_bf16,
        ("TANH", "F16") => tangent_f16,
        ("TANH", "BF16") => tangent_bf16,
        ("EX2", "F16x2") => exponential_f16x2,
        ("EX2", "BF16x2") => exponential_bf16x2,
        _ => return None,
    })
}
