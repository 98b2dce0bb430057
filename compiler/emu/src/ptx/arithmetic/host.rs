//! Floating-point operations that the host's own arithmetic computes, where its result is the same by definition.
//!
//! The host rounds every sum, product, quotient and root of f32 and f64 to nearest even, as IEEE 754 and PTX have it. Each function here computes all lanes
//! so, and says for each whether the result may differ; those few lanes are computed again by `warpsmith_numerics`. The reasons are:
//!
//! * A NaN result is made canonical here; where its bits depend on the operands, it is computed again.
//! * With `.ftz` operands are flushed first. A result below the smallest normal number is tiny and becomes zero; one *equal* to it may come from a
//!   tiny value that only the shorter mantissa of a subnormal rounded up, and is computed again.
//! * A fused f32 sum is computed in f64, where the product of two f32 is exact and the sum is rounded once more. That changes the result only if the
//!   f64 sum lies in the middle between two f32, or if the result is subnormal.
//! * f16 and bf16 are computed in f64, too. Products, and sums of f16, are exact there; for the others, values in the middle are computed again,
//!   as are results that are not normal numbers.
//!
//! The tests compare each function with `warpsmith_numerics` on values around every such border.

use warpsmith_numerics::{
    convert,
    float::{self, Clamp, Comparison, Modifiers},
    format,
    round::{Overflow, Rounding},
};

use super::{FormatName, LANES, Lanes, Real, Work, real::real, truncated};
use crate::fast_float::{BRAIN, HALF, Narrow};

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7f80_0000;
const SMALLEST: u32 = 0x0080_0000;
const NAN: u32 = 0x7fff_ffff;

/// Computes all lanes by `fast`, which gives the result and whether it may be wrong, and where it may be by `exact`.
#[inline(always)]
fn compute(work: &mut Work<'_>, fast: impl Fn(u64, u64, u64) -> (u64, bool), exact: impl Fn(u64, u64, u64) -> u64) {
    let mut doubts = 0;
    for lane in 0..LANES {
        let (value, doubt) = fast(work.a[lane], work.b[lane], work.c[lane]);
        work.out[lane] = value;
        doubts |= u64::from(doubt);
    }
    if doubts != 0 {
        work.each_where(|a, b, c| fast(a, b, c).1, exact);
    }
}

/// The operand that an instruction with or without `.ftz` sees.
#[inline(always)]
fn operand<const FTZ: bool>(bits: u64) -> u32 {
    let bits = bits as u32;
    if FTZ && bits & EXPONENT == 0 { bits & SIGN } else { bits }
}

#[inline(always)]
fn single<const FTZ: bool>(bits: u64) -> f32 {
    f32::from_bits(operand::<FTZ>(bits))
}

/// A result of f32, and whether it may be wrong.
#[inline(always)]
fn finish<const FTZ: bool, const SATURATE: bool>(value: f32) -> (u64, bool) {
    let bits = value.to_bits();
    let magnitude = bits & !SIGN;
    let flushed = if FTZ && magnitude < SMALLEST { bits & SIGN } else { bits };
    let number = if value.is_nan() { NAN } else { flushed };
    let result = if !SATURATE {
        number
    } else if value.is_nan() || bits & SIGN != 0 {
        0
    } else {
        number.min(0x3f80_0000)
    };
    (u64::from(result), FTZ && magnitude == SMALLEST)
}

/// The fused f32 sum of two exact f64 terms: the result, and whether it may be wrong.
#[inline(always)]
fn fused<const FTZ: bool, const SATURATE: bool>(sum: f64) -> (u64, bool) {
    let in_the_middle = sum.to_bits() & 0x1fff_ffff == 0x1000_0000;
    let is_small = sum.abs() <= f64::from(f32::MIN_POSITIVE);
    if FTZ {
        // Below, and not so near that rounding reaches the smallest normal number.
        let is_tiny = sum.abs() < f64::from(f32::MIN_POSITIVE) * (1.0 - 1.0 / 16_777_216.0);
        let (value, _) = finish::<FTZ, SATURATE>(if is_tiny {
            0.0_f32.copysign(sum as f32)
        } else {
            sum as f32
        });
        (value, in_the_middle & !is_tiny | is_small & !is_tiny)
    } else {
        let (value, _) = finish::<FTZ, SATURATE>(sum as f32);
        (value, in_the_middle | is_small & (sum != 0.0))
    }
}

/// Whether the host computes an operation of f32 with these modifiers.
#[inline]
pub(super) fn has_single(modifiers: Modifiers) -> bool {
    modifiers.rounding == Rounding::NearestEven && modifiers.clamp != Clamp::Relu && !modifiers.oob
}

/// An operation of f32 with the modifiers of [`has_single`].
pub(super) fn single_with(operation: Real, modifiers: Modifiers, work: &mut Work<'_>) {
    match (modifiers.ftz, modifiers.clamp == Clamp::Saturate) {
        (false, false) => singles::<false, false>(operation, modifiers, work),
        (false, true) => singles::<false, true>(operation, modifiers, work),
        (true, false) => singles::<true, false>(operation, modifiers, work),
        (true, true) => singles::<true, true>(operation, modifiers, work),
    }
}

fn singles<const FTZ: bool, const SATURATE: bool>(operation: Real, modifiers: Modifiers, work: &mut Work<'_>) {
    let f = single::<FTZ>;
    let done = finish::<FTZ, SATURATE>;
    let exact = |a, b, c| real(operation, format::F32, modifiers, [a, b, c]);
    match operation {
        Real::Add => compute(work, |a, b, _| done(f(a) + f(b)), exact),
        Real::Subtract => compute(work, |a, b, _| done(f(a) - f(b)), exact),
        Real::Multiply => compute(work, |a, b, _| done(f(a) * f(b)), exact),
        Real::Divide => compute(work, |a, b, _| done(f(a) / f(b)), exact),
        Real::Reciprocal => compute(work, |a, _, _| done(1.0 / f(a)), exact),
        Real::SquareRoot => compute(work, |a, _, _| done(f(a).sqrt()), exact),
        Real::MultiplyAdd => {
            let wide = |bits| f64::from(f(bits));
            compute(
                work,
                |a, b, c| fused::<FTZ, SATURATE>(wide(a) * wide(b) + wide(c)),
                exact,
            );
        }
        Real::Absolute | Real::Negate | Real::CopySign => {
            // A NaN keeps its bits here, in ways of its own.
            let sign = |bits: u32, other: u32| match operation {
                Real::Absolute => bits & !SIGN,
                Real::Negate => bits ^ SIGN,
                _ => other & SIGN | bits & !SIGN,
            };
            let plain = operation == Real::CopySign || SATURATE;
            let fast = |a: u64, b: u64, _| {
                let bits = operand::<FTZ>(a);
                (u64::from(sign(bits, b as u32)), plain || bits & !SIGN > EXPONENT)
            };
            compute(work, fast, exact);
        }
    }
}

/// `min` and `max` of two f32 without modifiers but `.ftz`.
pub(super) fn extreme<const FTZ: bool>(maximum: bool, work: &mut Work<'_>, exact: impl Fn(u64, u64) -> u64) {
    // Negative numbers in reverse order, −0 below +0.
    let place = |bits: u32| (bits as i32) ^ ((bits as i32 >> 31) & i32::MAX);
    let is_nan = |bits: u32| bits & !SIGN > EXPONENT;
    let fast = |a: u64, b: u64, _: u64| {
        let (a, b) = (operand::<FTZ>(a), operand::<FTZ>(b));
        let first = (place(a) > place(b)) == maximum;
        (u64::from(if first { a } else { b }), is_nan(a) | is_nan(b))
    };
    compute(work, fast, |a, b, _| exact(a, b));
}

/// The comparison of two numbers that the host knows as IEEE 754 has it: zeros are equal, and NaN is unordered.
#[inline(always)]
// With NaN, `!(a >= b)` is not `a < b`, and `a < b || a > b` is not `a != b`.
#[allow(clippy::double_comparisons, clippy::neg_cmp_op_on_partial_ord)]
fn holds<T: PartialOrd>(comparison: Comparison, a: T, b: T) -> bool {
    match comparison {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a < b || a > b,
        Comparison::Less => a < b,
        Comparison::LessOrEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterOrEqual => a >= b,
        Comparison::EqualOrUnordered => !(a < b || a > b),
        Comparison::NotEqualOrUnordered => a != b,
        Comparison::LessOrUnordered => !(a >= b),
        Comparison::LessEqualOrUnordered => !(a > b),
        Comparison::GreaterOrUnordered => !(a <= b),
        Comparison::GreaterEqualOrUnordered => !(a < b),
        Comparison::Numbers => a <= b || a > b,
        Comparison::Unordered => !(a <= b || a > b),
    }
}

/// The lanes where a comparison of f32 holds.
pub(super) fn compare_single(comparison: Comparison, ftz: bool, a: &Lanes, b: &Lanes) -> u32 {
    let all = |f: fn(u64) -> f32| {
        (0..LANES).fold(0, |mask, lane| {
            mask | u32::from(holds(comparison, f(a[lane]), f(b[lane]))) << lane
        })
    };
    if ftz { all(single::<true>) } else { all(single::<false>) }
}

/// The lanes where a comparison of f64 holds.
pub(super) fn compare_double(comparison: Comparison, a: &Lanes, b: &Lanes) -> u32 {
    (0..LANES).fold(0, |mask, lane| {
        let (a, b) = (f64::from_bits(a[lane]), f64::from_bits(b[lane]));
        mask | u32::from(holds(comparison, a, b)) << lane
    })
}

/// A sum, product or fused sum of f16 or bf16, one or two in a register; false: the host does not compute it.
pub(super) fn narrow(
    operation: Real,
    format: FormatName,
    modifiers: Modifiers,
    packed: bool,
    work: &mut Work<'_>,
) -> bool {
    if modifiers.rounding != Rounding::NearestEven || modifiers.clamp != Clamp::None || modifiers.oob {
        return false;
    }
    let narrow = match format {
        FormatName::F16 => HALF,
        FormatName::Bf16 => BRAIN,
        _ => return false,
    };
    match operation {
        Real::Add => narrow_with(narrow, operation, modifiers, packed, work, |a, b, _| a + b),
        Real::Subtract => narrow_with(narrow, operation, modifiers, packed, work, |a, b, _| a - b),
        Real::Multiply => narrow_with(narrow, operation, modifiers, packed, work, |a, b, _| a * b),
        Real::MultiplyAdd => narrow_with(narrow, operation, modifiers, packed, work, |a, b, c| a * b + c),
        _ => return false,
    }
    true
}

#[inline(always)]
fn narrow_with(
    narrow: Narrow,
    operation: Real,
    modifiers: Modifiers,
    packed: bool,
    work: &mut Work<'_>,
    value: impl Fn(f64, f64, f64) -> f64,
) {
    let format = if narrow.is_half() { format::F16 } else { format::BF16 };
    let is_exact = match operation {
        Real::Multiply => true,
        Real::MultiplyAdd => false,
        _ => narrow.is_half(),
    };
    let uses_c = operation == Real::MultiplyAdd;
    let one = |a: u64, b: u64, c: u64| {
        let ftz = modifiers.ftz;
        let special = narrow.is_special(ftz, a) | narrow.is_special(ftz, b) | uses_c & narrow.is_special(ftz, c);
        let c = if uses_c { narrow.value(c) } else { 0.0 };
        let (result, doubt) = narrow.round(value(narrow.value(a), narrow.value(b), c), is_exact);
        (result, doubt | special)
    };
    if packed {
        let both = |a: u64, b: u64, c: u64| {
            let (low, high) = (one(a, b, c), one(a >> 16, b >> 16, c >> 16));
            (low.0 | high.0 << 16, low.1 | high.1)
        };
        compute(work, both, |a, b, c| {
            float::map_lanes(format, [a, b, c], |lanes| real(operation, format, modifiers, lanes))
        });
    } else {
        compute(work, one, |a, b, c| real(operation, format, modifiers, [a, b, c]));
    }
}

/// A conversion between formats rounded to nearest; false: the host does not compute it.
pub(super) fn between(from: FormatName, to: FormatName, modifiers: convert::Modifiers, work: &mut Work<'_>) -> bool {
    if !is_plain(modifiers) || modifiers.rounding != Rounding::NearestEven {
        return false;
    }
    let (source, target) = (from.format(), to.format());
    let exact = |a, _, _| convert::float_to_float(source, target, modifiers, a);
    let ftz = modifiers.ftz;
    let is_special = |bits: u64| {
        let exponent = bits as u32 & EXPONENT;
        exponent == EXPONENT || ftz && exponent == 0
    };
    let wide = |bits: u64| f64::from(f32::from_bits(bits as u32));
    match (from, to) {
        (FormatName::F32, FormatName::F64) => compute(work, |a, _, _| (wide(a).to_bits(), is_special(a)), exact),
        (FormatName::F64, FormatName::F32) => {
            let fast = |a: u64, _, _| {
                let value = f64::from_bits(a) as f32;
                let (bits, doubt) = finish::<true, false>(value);
                let kept = u64::from(value.to_bits());
                (if ftz { bits } else { kept }, value.is_nan() || ftz && doubt)
            };
            compute(work, fast, exact);
        }
        (FormatName::F32, FormatName::F16 | FormatName::Bf16) => {
            let narrow = if to == FormatName::F16 { HALF } else { BRAIN };
            let fast = |a: u64, _, _| {
                let (bits, doubt) = narrow.round(wide(a), true);
                (bits, doubt | is_special(a))
            };
            compute(work, fast, exact);
        }
        (FormatName::F16 | FormatName::Bf16, FormatName::F32) => {
            let narrow = if from == FormatName::F16 { HALF } else { BRAIN };
            let fast = |a: u64, _, _| {
                let value = narrow.value(a) as f32;
                (u64::from(value.to_bits()), narrow.is_special(ftz, a))
            };
            compute(work, fast, exact);
        }
        _ => return false,
    }
    true
}

/// Two f32 to a register of two f16 or bf16; false: the host does not compute it.
pub(super) fn pair(to: FormatName, modifiers: convert::Modifiers, work: &mut Work<'_>) -> bool {
    let narrow = match to {
        FormatName::F16 => HALF,
        FormatName::Bf16 => BRAIN,
        _ => return false,
    };
    if !is_plain(modifiers) || modifiers.rounding != Rounding::NearestEven || modifiers.ftz {
        return false;
    }
    let wide = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let is_special = |bits: u64| bits as u32 & EXPONENT == EXPONENT;
    let fast = |a: u64, b: u64, _| {
        let (high, low) = (narrow.round(wide(a), true), narrow.round(wide(b), true));
        (high.0 << 16 | low.0, high.1 | low.1 | is_special(a) | is_special(b))
    };
    let target = to.format();
    compute(work, fast, |a, b, _| convert::pair(target, modifiers, a, b));
    true
}

fn is_plain(modifiers: convert::Modifiers) -> bool {
    modifiers.clamp == Clamp::None && modifiers.overflow == Overflow::Infinity
}

/// An integer to f32 or f64, rounded to nearest; false: the host does not compute it.
pub(super) fn from_integer(
    from: convert::Integer,
    to: FormatName,
    modifiers: convert::Modifiers,
    work: &mut Work<'_>,
) -> bool {
    if !is_plain(modifiers) || modifiers.rounding != Rounding::NearestEven {
        return false;
    }
    let unused = 64 - from.bits.min(64);
    let signed = |a: u64| (a << unused) as i64 >> unused;
    let unsigned = |a: u64| a << unused >> unused;
    match (to, from.signed) {
        (FormatName::F32, true) => work.cheap(|a, _, _| u64::from((signed(a) as f32).to_bits())),
        (FormatName::F32, false) => work.cheap(|a, _, _| u64::from((unsigned(a) as f32).to_bits())),
        (FormatName::F64, true) => work.cheap(|a, _, _| (signed(a) as f64).to_bits()),
        (FormatName::F64, false) => work.cheap(|a, _, _| (unsigned(a) as f64).to_bits()),
        _ => return false,
    }
    true
}

/// f32 or f64 to an integer in a register of `width` bits; false: the host does not compute it.
pub(super) fn to_integer(
    from: FormatName,
    to: convert::Integer,
    modifiers: convert::Modifiers,
    width: u32,
    work: &mut Work<'_>,
) -> bool {
    let round: fn(f64) -> f64 = match modifiers.rounding {
        Rounding::NearestEven => |value| {
            // Beyond 2^51 the bits of the fraction are gone by addition already.
            const LARGE: f64 = 6_755_399_441_055_744.0;
            value + LARGE - LARGE
        },
        Rounding::TowardZero => |value| value as i64 as f64,
        Rounding::TowardNegative => |value| {
            let whole = value as i64 as f64;
            if whole > value { whole - 1.0 } else { whole }
        },
        Rounding::TowardPositive => |value| {
            let whole = value as i64 as f64;
            if whole < value { whole + 1.0 } else { whole }
        },
        _ => return false,
    };
    let source = from.format();
    let exact = |a, _, _| {
        truncated(
            to.extend(convert::float_to_integer(
                source,
                to,
                modifiers.rounding,
                modifiers.ftz,
                a,
            )),
            width,
        )
    };
    // The range within which everything above is exact; u64 above 2^50 is rare.
    let bits = if to.signed { to.bits - 1 } else { to.bits };
    let limit = (1_u64 << bits.min(50)) as f64;
    let least = if to.signed { -limit } else { 0.0 };
    let fast = |value: f64| {
        let whole = round(value);
        (
            truncated(whole as i64 as u64, width),
            !(value.abs() < 2.0 * limit && whole >= least && whole < limit),
        )
    };
    match (from, modifiers.ftz) {
        (FormatName::F32, false) => compute(work, |a, _, _| fast(f64::from(single::<false>(a))), exact),
        (FormatName::F32, true) => compute(work, |a, _, _| fast(f64::from(single::<true>(a))), exact),
        (FormatName::F64, _) => compute(work, |a, _, _| fast(f64::from_bits(a)), exact),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{
        Compare, Conversion, Function, MinMax, compare, evaluate,
        real::{converted, real},
    };
    use super::*;

    /// Values around every border of the formats: small integers, powers of two, largest and smallest numbers, their neighbours, and any bits.
    struct Sample(u64);

    impl Sample {
        fn next(&mut self, width: u32, mantissa_bits: u32) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            let bits = self.0 >> 9 ^ self.0 << 23;
            let exponent_bits = width - 1 - mantissa_bits;
            let largest = (1_u64 << exponent_bits) - 1;
            let middle = largest / 2;
            let mantissa = bits & ((1 << mantissa_bits) - 1);
            let any = bits >> 30;
            let exponent = match bits >> 60 {
                0 => 0,
                1 => 1,
                2 => largest,
                3 => largest - 1,
                4..7 => middle / 2 + any % 5,
                7..12 => (middle + any % 64).wrapping_sub(32),
                _ => any,
            } & largest;
            let mantissa = match bits >> 57 & 7 {
                0 => 0,
                1 => (1 << mantissa_bits) - 1,
                2 => mantissa & 3,
                3 => mantissa & !0 << (mantissa_bits / 2),
                _ => mantissa,
            };
            (bits >> 56 & 1) << (width - 1) | exponent << mantissa_bits | mantissa
        }

        fn lanes(&mut self, width: u32, mantissa_bits: u32) -> Lanes {
            std::array::from_fn(|_| self.next(width, mantissa_bits))
        }
    }

    fn shape(format: FormatName) -> (u32, u32) {
        match format {
            FormatName::F16 => (16, 10),
            FormatName::Bf16 => (16, 7),
            FormatName::F64 => (64, 52),
            _ => (32, 23),
        }
    }

    /// Compares on many operands of a format; `exact` is what numerics has.
    fn agree(format: FormatName, rounds: u32, run: impl Fn(&mut Work<'_>), exact: impl Fn([u64; 3]) -> u64) {
        let mut sample = Sample(u64::from(rounds));
        let (width, mantissa) = shape(format);
        for _ in 0..rounds {
            let [a, b, mut c] = [0; 3].map(|_| sample.lanes(width, mantissa));
            // Sums that nearly cancel.
            for lane in (0..LANES).step_by(3) {
                c[lane] = real(
                    Real::Multiply,
                    format.format(),
                    Modifiers::default(),
                    [a[lane], b[lane], 0],
                );
                c[lane] ^= 1 << (width - 1) | sample.0 >> 40 & 1;
            }
            let mut out = [0; LANES];
            run(&mut Work {
                mask: u32::MAX,
                a: &a,
                b: &b,
                c: &c,
                out: &mut out,
            });
            for lane in 0..LANES {
                let operands = [a[lane], b[lane], c[lane]];
                assert_eq!(out[lane], exact(operands), "{format:?} {operands:x?}");
            }
        }
    }

    const OPERATIONS: [Real; 10] = [
        Real::Add,
        Real::Subtract,
        Real::Multiply,
        Real::MultiplyAdd,
        Real::Divide,
        Real::Reciprocal,
        Real::SquareRoot,
        Real::Absolute,
        Real::Negate,
        Real::CopySign,
    ];

    #[test]
    fn arithmetic_is_that_of_numerics() {
        for format in [FormatName::F32, FormatName::F64, FormatName::F16, FormatName::Bf16] {
            for operation in OPERATIONS {
                for (ftz, clamp) in [
                    (false, Clamp::None),
                    (false, Clamp::Saturate),
                    (true, Clamp::None),
                    (true, Clamp::Saturate),
                ] {
                    let modifiers = Modifiers {
                        ftz,
                        clamp,
                        ..Modifiers::default()
                    };
                    let plain = modifiers == Modifiers::default();
                    let function = match format {
                        FormatName::F64 if plain => Function::Double(operation),
                        FormatName::F32 if plain => Function::Single(operation),
                        _ => Function::Real {
                            operation,
                            format,
                            modifiers,
                        },
                    };
                    let exact = |operands| real(operation, format.format(), modifiers, operands);
                    agree(format, 2000, |work| evaluate(function, work), exact);
                }
            }
        }
    }

    #[test]
    fn sums_next_to_the_smallest_number_are_those_of_numerics() {
        // Products of numbers near 2^-63 and sums that leave little of them.
        let near = |sample: &mut Sample| 0x1f80_0000_u64 + (sample.next(32, 23) & 0x1ff_ffff) - 0x100_0000;
        let mut sample = Sample(7);
        for ftz in [false, true] {
            let modifiers = Modifiers {
                ftz,
                ..Modifiers::default()
            };
            for operation in [Real::Add, Real::Multiply, Real::MultiplyAdd, Real::Divide] {
                for _ in 0..20_000 {
                    let a: Lanes = std::array::from_fn(|_| near(&mut sample));
                    let b: Lanes = std::array::from_fn(|_| match operation {
                        Real::Divide => 0x5f00_0000 + (sample.next(32, 23) & 0xff_ffff),
                        Real::Add => 0x8000_0000 | near(&mut sample),
                        _ => near(&mut sample),
                    });
                    let c: Lanes = std::array::from_fn(|_| sample.next(32, 23) & 0x81ff_ffff);
                    let mut out = [0; LANES];
                    let mut work = Work {
                        mask: u32::MAX,
                        a: &a,
                        b: &b,
                        c: &c,
                        out: &mut out,
                    };
                    single_with(operation, modifiers, &mut work);
                    for lane in 0..LANES {
                        let operands = [a[lane], b[lane], c[lane]];
                        let exact = real(operation, format::F32, modifiers, operands);
                        assert_eq!(out[lane], exact, "{operation:?} {ftz} {operands:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn packed_arithmetic_is_that_of_numerics() {
        for (name, operation) in [FormatName::F16, FormatName::Bf16]
            .into_iter()
            .flat_map(|name| OPERATIONS[..4].iter().map(move |operation| (name, *operation)))
        {
            let modifiers = Modifiers::default();
            let function = Function::PackedReal {
                operation,
                format: name,
                modifiers,
            };
            let format = name.format();
            let exact =
                |operands| float::map_lanes(format, operands, |lanes| real(operation, format, modifiers, lanes));
            // Two independent halves: any 32 bits.
            agree(FormatName::F32, 4000, |work| evaluate(function, work), exact);
        }
    }

    #[test]
    fn minima_and_comparisons_are_those_of_numerics() {
        for (maximum, ftz) in [(false, false), (false, true), (true, false), (true, true)] {
            let modifiers = MinMax {
                ftz,
                ..MinMax::default()
            };
            let function = Function::Extreme {
                maximum,
                format: FormatName::F32,
                modifiers,
                operands: 2,
            };
            let one = if maximum { float::max } else { float::min };
            let exact = |[a, b, _]: [u64; 3]| one(format::F32, modifiers, a, b);
            agree(FormatName::F32, 4000, |work| evaluate(function, work), exact);
        }
        use Comparison as C;
        for comparison in [
            C::Equal,
            C::NotEqual,
            C::Less,
            C::LessOrEqual,
            C::Greater,
            C::GreaterOrEqual,
            C::EqualOrUnordered,
            C::NotEqualOrUnordered,
            C::LessOrUnordered,
            C::LessEqualOrUnordered,
            C::GreaterOrUnordered,
            C::GreaterEqualOrUnordered,
            C::Numbers,
            C::Unordered,
        ] {
            for (format, ftz) in [
                (FormatName::F32, false),
                (FormatName::F32, true),
                (FormatName::F64, false),
            ] {
                let run = |work: &mut Work<'_>| {
                    let wanted = Compare::Real {
                        comparison,
                        format,
                        ftz,
                    };
                    let holds = compare(wanted, u32::MAX, work.a, work.b);
                    *work.out = std::array::from_fn(|lane| u64::from(holds >> lane & 1));
                };
                let exact = |[a, b, _]: [u64; 3]| u64::from(float::compare(format.format(), comparison, ftz, a, b));
                agree(format, 1000, run, exact);
            }
        }
    }

    #[test]
    fn conversions_are_those_of_numerics() {
        let formats = [FormatName::F32, FormatName::F64, FormatName::F16, FormatName::Bf16];
        for ftz in [false, true] {
            let modifiers = convert::Modifiers {
                ftz,
                ..convert::Modifiers::default()
            };
            for (from, to) in formats.into_iter().flat_map(|from| formats.map(|to| (from, to))) {
                let conversion = Conversion::Float { from, to, modifiers };
                let exact = |[a, ..]: [u64; 3]| convert::float_to_float(from.format(), to.format(), modifiers, a);
                agree(from, 4000, |work| converted(conversion, work), exact);
            }
        }
        for to in [FormatName::F16, FormatName::Bf16] {
            let modifiers = convert::Modifiers::default();
            let conversion = Conversion::Pair { to, modifiers };
            let exact = |[a, b, _]: [u64; 3]| convert::pair(to.format(), modifiers, a, b);
            agree(FormatName::F32, 4000, |work| converted(conversion, work), exact);
        }
    }

    #[test]
    fn conversions_of_integers_are_those_of_numerics() {
        let integers = [
            convert::U8,
            convert::S8,
            convert::U16,
            convert::S16,
            convert::U32,
            convert::S32,
            convert::U64,
            convert::S64,
        ];
        let roundings = [
            Rounding::NearestEven,
            Rounding::TowardZero,
            Rounding::TowardNegative,
            Rounding::TowardPositive,
        ];
        for (integer, rounding) in integers
            .into_iter()
            .flat_map(|i| roundings.map(|rounding| (i, rounding)))
        {
            for (format, ftz) in [
                (FormatName::F32, false),
                (FormatName::F32, true),
                (FormatName::F64, false),
            ] {
                let modifiers = convert::Modifiers { ftz, ..rounding.into() };
                for width in [integer.bits.max(16), 64] {
                    let conversion = Conversion::FromFloat {
                        from: format,
                        to: integer,
                        modifiers,
                        width,
                    };
                    let exact = |[a, ..]: [u64; 3]| {
                        let bits = convert::float_to_integer(format.format(), integer, rounding, ftz, a);
                        truncated(integer.extend(bits), width)
                    };
                    agree(format, 500, |work| converted(conversion, work), exact);
                }
                let conversion = Conversion::ToFloat {
                    from: integer,
                    to: format,
                    modifiers,
                };
                let exact = |[a, ..]: [u64; 3]| convert::integer_to_float(integer, format.format(), modifiers, a);
                agree(FormatName::F64, 500, |work| converted(conversion, work), exact);
            }
        }
    }
}
