//! Operations on packed pairs of f16 and bf16.
//!
//! An operand is a word of two halves, one half for both lanes of the pair (`.H0_H0`, `.H1_H1`), or a single-precision value for both (`.F32`).
//! Signs of operands are bits of the parameter.

use warpsmith_numerics::{
    convert,
    exact::{product, sum},
    float::{self, Comparison, Modifiers},
    format::{BF16, F16, F32, Format},
    round::{Exact, Overflow, Unpacked, round, unpack},
};

use super::{
    code::{LANES, Lanes},
    float::{FTZ, OUT_OF_BOUNDS, RELU, ROUND_UP, SATURATE, clamp, min_max, modifiers, rounding},
    lanes::lanes,
    predicate::Combine,
};
use crate::fast_float::{BRAIN, HALF};

/// How the first operand's word is read: a number of two bits, then those of the second and third operand.
const SWIZZLE: u32 = 8;
/// One single-precision value.
const SINGLE: u32 = 1;
/// The lower half twice.
const LOWER: u32 = 2;
/// The upper half twice.
const UPPER: u32 = 3;
/// Comparisons give 1.0, not all ones.
pub(crate) const BOOLEAN_FLOAT: u32 = 1 << 14;
/// The first operand is negated; the bit after it: its magnitude is taken before that. Then those of the second and third.
const SIGNS: u32 = 16;
/// The halves are bf16.
pub(crate) const BFLOAT: u32 = 1 << 24;
/// A comparison's code in the instruction word.
const COMPARISON: u32 = 25;
/// How a comparison is combined with a predicate: 0 and, 1 or, 2 exclusive or.
const COMBINE: u32 = 30;

/// The bits of a parameter for an operand.
pub(crate) fn operand(index: u32, swizzle: &str, negated: bool, absolute: bool) -> Option<u32> {
    let swizzle = match swizzle {
        "" => 0,
        "F32" => SINGLE,
        "H0_H0" => LOWER,
        "H1_H1" => UPPER,
        _ => return None,
    };
    let signs = u32::from(negated) | u32::from(absolute) << 1;
    Some(swizzle << (SWIZZLE + 2 * index) | signs << (SIGNS + 2 * index))
}

/// A parameter with the operands' signs as they are.
pub(crate) fn without_signs(parameter: u32) -> u32 {
    parameter & !(0x3f << SIGNS)
}

/// Whether an operand of a parameter is a single-precision value.
pub(crate) fn has_single_operand(parameter: u32) -> bool {
    (0..3).any(|index| parameter >> (SWIZZLE + 2 * index) & 3 == SINGLE)
}

/// The bits of a parameter for a comparison.
pub(crate) fn comparison(code: u32, combine: Combine) -> u32 {
    let combine = match combine {
        Combine::And => 0,
        Combine::Or => 1,
        Combine::Xor => 2,
    };
    code << COMPARISON | combine << COMBINE
}

/// Both halves of an operand.
#[inline(always)]
fn halves(word: u32, parameter: u32, index: u32) -> u32 {
    let word = match parameter >> (SWIZZLE + 2 * index) & 3 {
        LOWER => (word & 0xffff) * 0x1_0001,
        UPPER => (word >> 16) * 0x1_0001,
        _ => word,
    };
    let signs = parameter >> (SIGNS + 2 * index);
    let word = if signs & 2 != 0 { word & 0x7fff_7fff } else { word };
    if signs & 1 != 0 { word ^ 0x8000_8000 } else { word }
}

/// An operand of a pair's lane as single precision, exactly.
fn single(word: u32, parameter: u32, index: u32, upper: bool) -> u64 {
    if parameter >> (SWIZZLE + 2 * index) & 3 == SINGLE {
        let signs = parameter >> (SIGNS + 2 * index);
        let word = if signs & 2 != 0 { word & 0x7fff_ffff } else { word };
        return u64::from(if signs & 1 != 0 { word ^ 0x8000_0000 } else { word });
    }
    let halves = halves(word, parameter, index);
    let half = u64::from(if upper { halves >> 16 } else { halves });
    let format = if parameter & BFLOAT != 0 { BF16 } else { F16 };
    convert::float_to_float(format, F32, convert::Modifiers::default(), half)
}

/// A function of both halves of the operands.
#[inline(always)]
fn both<const N: usize>(operands: [u32; N], function: impl Fn([u64; N]) -> u64) -> u32 {
    let low = function(operands.map(|word| u64::from(word & 0xffff)));
    let high = function(operands.map(|word| u64::from(word >> 16)));
    (low | high << 16) as u32
}

macro_rules! in_both_formats {
    ($(#[$doc:meta])* $f16:ident, $bf16:ident, |$format:ident, $a:ident, $b:ident, $c:ident, $p:ident| $value:expr) => {
        lanes!(
            $(#[$doc])*
            $f16, |a, b, c, p| {
                const FORMAT: Format = F16;
                let ($format, $p) = (FORMAT, p);
                both([halves(a, p, 0), halves(b, p, 1), halves(c, p, 2)], |[$a, $b, $c]| { let _ = $c; $value })
            }
        );
        lanes!(
            $(#[$doc])*
            $bf16, |a, b, c, p| {
                const FORMAT: Format = BF16;
                let ($format, $p) = (FORMAT, p);
                both([halves(a, p, 0), halves(b, p, 1), halves(c, p, 2)], |[$a, $b, $c]| { let _ = $c; $value })
            }
        );
    };
}

/// An operation in f64 rounded to the format, or where that may not be the result, `exact`.
#[inline(always)]
fn quick<const N: usize>(
    format: Format,
    parameter: u32,
    operands: [u64; N],
    is_exact: bool,
    operation: impl Fn([f64; N]) -> f64,
    exact: impl Fn(Modifiers) -> u64,
) -> u64 {
    let narrow = if format == F16 { HALF } else { BRAIN };
    // Anything but rounding to nearest without clamping.
    let is_plain = parameter & (ROUND_UP | SATURATE | RELU | OUT_OF_BOUNDS) == 0;
    let ftz = parameter & FTZ != 0;
    let special = operands
        .iter()
        .fold(!is_plain, |special, bits| special | narrow.is_special(ftz, *bits));
    let (result, doubt) = narrow.round(operation(operands.map(|bits| narrow.value(bits))), is_exact);
    if special | doubt {
        exact(modifiers(parameter))
    } else {
        result
    }
}

in_both_formats!(
    /// `HADD2`
    add, add_bfloat, |format, a, b, c, p| {
        quick(format, p, [a, b], format == F16, |[a, b]| a + b, |m| float::add(format, m, a, b))
    }
);
in_both_formats!(
    /// `HMUL2`
    multiply, multiply_bfloat, |format, a, b, c, p| {
        quick(format, p, [a, b], true, |[a, b]| a * b, |m| float::mul(format, m, a, b))
    }
);
in_both_formats!(
    /// `HFMA2`
    multiply_add, multiply_add_bfloat, |format, a, b, c, p| {
        quick(format, p, [a, b, c], false, |[a, b, c]| a * b + c, |m| float::fma(format, m, a, b, c))
    }
);

lanes!(
    /// `HADD2.F32`: a single-precision sum of the lower halves, or of single-precision values.
    add_to_single, |a, b, _c, p| {
        float::add(F32, modifiers(p), single(a, p, 0, false), single(b, p, 1, false)) as u32
    }
);
lanes!(
    /// `HMUL2.F32`
    multiply_to_single, |a, b, _c, p| {
        float::mul(F32, modifiers(p), single(a, p, 0, false), single(b, p, 1, false)) as u32
    }
);

/// A result of single-precision operands rounded once, to f16.
fn mixed(
    parameter: u32,
    [a, b]: [u64; 2],
    exact: impl Fn(Exact, Exact) -> Exact,
    special: impl Fn(u64, u64) -> u64,
) -> u64 {
    let bits = match (unpack(F32, a), unpack(F32, b)) {
        (Unpacked::Finite(a), Unpacked::Finite(b)) => round(F16, rounding(parameter), Overflow::Infinity, exact(a, b)),
        _ => convert::float_to_float(F32, F16, convert::Modifiers::default(), special(a, b)),
    };
    float::clamp(F16, clamp(parameter), bits)
}

lanes!(
    /// `HADD2` with an operand in single precision; the result is two halves.
    add_mixed, |a, b, _c, p| {
        let half = |upper| {
            mixed(
                p,
                [single(a, p, 0, upper), single(b, p, 1, upper)],
                |a, b| sum(a, b, rounding(p)),
                |a, b| float::add(F32, modifiers(p), a, b),
            )
        };
        (half(false) | half(true) << 16) as u32
    }
);
lanes!(
    /// `HMUL2` with an operand in single precision; the result is two halves.
    multiply_mixed, |a, b, _c, p| {
        let half = |upper| {
            mixed(
                p,
                [single(a, p, 0, upper), single(b, p, 1, upper)],
                product,
                |a, b| float::mul(F32, modifiers(p), a, b),
            )
        };
        (half(false) | half(true) << 16) as u32
    }
);

/// `HMNMX2`: the minima where the predicate holds, else the maxima.
pub(crate) fn extreme(out: &mut Lanes, [a, b, _]: [&Lanes; 3], holds: u32, parameter: u32) {
    let modifiers = min_max(parameter);
    let format = if parameter & BFLOAT != 0 { BF16 } else { F16 };
    for lane in 0..LANES {
        let operands = [halves(a[lane], parameter, 0), halves(b[lane], parameter, 1)];
        out[lane] = both(operands, |[a, b]| {
            if holds >> lane & 1 != 0 {
                float::min(format, modifiers, a, b)
            } else {
                float::max(format, modifiers, a, b)
            }
        });
    }
}

/// Whether a comparison of this code holds; the codes are those of the instruction word.
fn compares(format: Format, code: u32, ftz: bool, a: u64, b: u64) -> bool {
    let comparison = match code {
        0 => return false,
        1 => Comparison::Less,
        2 => Comparison::Equal,
        3 => Comparison::LessOrEqual,
        4 => Comparison::Greater,
        5 => Comparison::NotEqual,
        6 => Comparison::GreaterOrEqual,
        7 => Comparison::Numbers,
        8 => Comparison::Unordered,
        9 => Comparison::LessOrUnordered,
        10 => Comparison::EqualOrUnordered,
        11 => Comparison::LessEqualOrUnordered,
        12 => Comparison::GreaterOrUnordered,
        13 => Comparison::NotEqualOrUnordered,
        14 => Comparison::GreaterEqualOrUnordered,
        _ => return true,
    };
    float::compare(format, comparison, ftz, a, b)
}

/// The comparison of both halves in all lanes.
pub(crate) fn compare(a: &Lanes, b: &Lanes, parameter: u32) -> [u32; 2] {
    let code = parameter >> COMPARISON & 15;
    let ftz = parameter & FTZ != 0;
    let format = if parameter & BFLOAT != 0 { BF16 } else { F16 };
    let mixed = has_single_operand(parameter);
    let mut result = [0; 2];
    for lane in 0..LANES {
        let words = [halves(a[lane], parameter, 0), halves(b[lane], parameter, 1)];
        for (upper, result) in [false, true].into_iter().zip(&mut result) {
            let holds = if mixed {
                let [a, b] = [
                    single(a[lane], parameter, 0, upper),
                    single(b[lane], parameter, 1, upper),
                ];
                compares(F32, code, ftz, a, b)
            } else {
                let [a, b] = words.map(|word| u64::from(if upper { word >> 16 } else { word & 0xffff }));
                compares(format, code, ftz, a, b)
            };
            *result |= u32::from(holds) << lane;
        }
    }
    result
}

/// `HSET2`: in each half all ones or 1.0 where the comparison, combined with the predicate, holds.
pub(crate) fn set(out: &mut Lanes, [a, b, _]: [&Lanes; 3], holds: u32, parameter: u32) {
    let combine = match parameter >> COMBINE {
        0 => Combine::And,
        1 => Combine::Or,
        _ => Combine::Xor,
    };
    let [low, high] = compare(a, b, parameter).map(|lanes| combine.of(lanes, holds));
    let truth: u32 = match (parameter & BOOLEAN_FLOAT != 0, parameter & BFLOAT != 0) {
        (false, _) => 0xffff,
        (true, false) => 0x3c00,
        (true, true) => 0x3f80,
    };
    for (lane, out) in out.iter_mut().enumerate() {
        *out = ((low >> lane & 1) * truth) | ((high >> lane & 1) * truth) << 16;
    }
}

/// In the parameter of operations that mix halves with single precision: the first factor is an upper half; the bit after it: the second.
pub(crate) const UPPER_FACTOR: u32 = 1 << 8;

fn narrow(word: u32, parameter: u32, index: u32) -> u64 {
    let upper = parameter & UPPER_FACTOR << index != 0;
    let half = if upper { word >> 16 } else { word & 0xffff };
    let signs = parameter >> (SIGNS + 2 * index);
    let half = if signs & 2 != 0 { half & 0x7fff } else { half };
    u64::from(if signs & 1 != 0 { half ^ 0x8000 } else { half })
}

fn narrow_format(parameter: u32) -> Format {
    if parameter & BFLOAT != 0 { BF16 } else { F16 }
}

lanes!(
    /// `FHADD`: a half plus a single-precision value.
    add_half_to_single, |a, b, _c, p| {
        float::add_mixed(narrow_format(p), modifiers(p), narrow(a, p, 0), b.into()) as u32
    }
);
lanes!(
    /// `FHFMA`: the product of two halves plus a single-precision value.
    multiply_add_halves_to_single, |a, b, c, p| {
        let [a, b] = [narrow(a, p, 0), narrow(b, p, 1)];
        float::fma_mixed(narrow_format(p), modifiers(p), a, b, c.into()) as u32
    }
);

#[cfg(test)]
mod tests {
    use super::{super::lanes::LanesFunction, *};

    /// Halves near every special case.
    fn sample(state: &mut u64) -> u32 {
        *state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let bits = (*state >> 29) as u32;
        // Few bits of mantissa in some, so that results lie in the middle between two numbers.
        if *state >> 62 == 0 { bits & 0xfc03_ff80 } else { bits }
    }

    #[test]
    fn quick_operations_are_those_of_numerics() {
        let functions: [(LanesFunction, Format, u32); 6] = [
            (add, F16, 0),
            (multiply, F16, 1),
            (multiply_add, F16, 2),
            (add_bfloat, BF16, 0),
            (multiply_bfloat, BF16, 1),
            (multiply_add_bfloat, BF16, 2),
        ];
        let mut state = 1;
        for _ in 0..4000 {
            let [a, b, c]: [Lanes; 3] = [(); 3].map(|()| std::array::from_fn(|_| sample(&mut state)));
            for parameter in [0, FTZ, SATURATE, RELU, FTZ | ROUND_UP] {
                for (function, format, kind) in functions {
                    let mut out = [0; LANES];
                    function(&mut out, &a, &b, &c, parameter);
                    let m = modifiers(parameter);
                    let exact = std::array::from_fn(|lane| {
                        both([a[lane], b[lane], c[lane]], |[a, b, c]| match kind {
                            0 => float::add(format, m, a, b),
                            1 => float::mul(format, m, a, b),
                            _ => float::fma(format, m, a, b, c),
                        })
                    });
                    assert_eq!(out, exact, "{a:x?} {b:x?} {c:x?} {parameter:x} {kind}");
                }
            }
        }
    }
}
