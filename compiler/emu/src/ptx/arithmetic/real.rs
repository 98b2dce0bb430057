//! Floating-point numbers.

use warpsmith_numerics::{
    approximate, convert,
    float::{self, Modifiers},
    format::{self, Format},
};

use super::{Approximate, Conversion, FormatName, Real, Work, truncated};

#[inline(always)]
fn single_result(value: f32) -> u64 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        u64::from(value.to_bits())
    }
}

pub(super) fn single(operation: Real, work: &mut Work<'_>) {
    let f = |bits: u64| f32::from_bits(bits as u32);
    match operation {
        Real::Add => work.cheap(|a, b, _| single_result(f(a) + f(b))),
        Real::Subtract => work.cheap(|a, b, _| single_result(f(a) - f(b))),
        Real::Multiply => work.cheap(|a, b, _| single_result(f(a) * f(b))),
        Real::Divide => work.cheap(|a, b, _| single_result(f(a) / f(b))),
        Real::SquareRoot => work.cheap(|a, _, _| single_result(f(a).sqrt())),
        Real::MultiplyAdd => work.cheap(single_fused),
        Real::Reciprocal | Real::Absolute | Real::Negate | Real::CopySign => {
            work.each(|a, b, c| real(operation, format::F32, Modifiers::default(), [a, b, c]));
        }
    }
}

/// A fused product and sum of f32 by way of f64, where the product is exact and the sum is rounded once more. That second rounding changes the
/// result only if the first gave a value in the middle between two f32, or if the result is subnormal.
#[inline(always)]
fn single_fused(a: u64, b: u64, c: u64) -> u64 {
    let f = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let sum = f(a) * f(b) + f(c);
    let in_the_middle = sum.to_bits() & 0x1fff_ffff == 0x1000_0000;
    if in_the_middle || (sum.abs() < f64::from(f32::MIN_POSITIVE) && sum != 0.0) {
        return float::fma(format::F32, Modifiers::default(), a, b, c);
    }
    single_result(sum as f32)
}

pub(super) fn double(operation: Real, work: &mut Work<'_>) {
    let f = f64::from_bits;
    let exact = |value: f64, operands: [u64; 3]| {
        if value.is_nan() {
            real(operation, format::F64, Modifiers::default(), operands)
        } else {
            value.to_bits()
        }
    };
    match operation {
        Real::Add => work.cheap(|a, b, c| exact(f(a) + f(b), [a, b, c])),
        Real::Subtract => work.cheap(|a, b, c| exact(f(a) - f(b), [a, b, c])),
        Real::Multiply => work.cheap(|a, b, c| exact(f(a) * f(b), [a, b, c])),
        Real::Divide => work.cheap(|a, b, c| exact(f(a) / f(b), [a, b, c])),
        Real::SquareRoot => work.cheap(|a, b, c| exact(f(a).sqrt(), [a, b, c])),
        Real::MultiplyAdd => work.each(|a, b, c| exact(f(a).mul_add(f(b), f(c)), [a, b, c])),
        Real::Reciprocal | Real::Absolute | Real::Negate | Real::CopySign => {
            work.each(|a, b, c| real(operation, format::F64, Modifiers::default(), [a, b, c]));
        }
    }
}

#[inline(always)]
pub(super) fn real(operation: Real, format: Format, modifiers: Modifiers, [a, b, c]: [u64; 3]) -> u64 {
    match operation {
        Real::Add => float::add(format, modifiers, a, b),
        Real::Subtract => float::sub(format, modifiers, a, b),
        Real::Multiply => float::mul(format, modifiers, a, b),
        Real::MultiplyAdd => float::fma(format, modifiers, a, b, c),
        Real::Divide => float::div(format, modifiers, a, b),
        Real::Reciprocal => float::rcp(format, modifiers, a),
        Real::SquareRoot => float::sqrt(format, modifiers, a),
        Real::Absolute => float::abs(format, modifiers.ftz, a),
        Real::Negate => float::neg(format, modifiers.ftz, a),
        Real::CopySign => float::copysign(format, a, b),
    }
}

pub(super) fn approximated(function: Approximate, ftz: bool, work: &mut Work<'_>) {
    let half = |f: fn(u16) -> u16| move |a: u32, _: u32, _: u32| u32::from(f(a as u16));
    let pair = |f: fn(u16) -> u16| move |a: u32, _: u32, _: u32| approximate::both(f, a);
    // Where the unit does not flush by itself, `.ftz` flushes what goes in.
    let flushed = |a: u32| if ftz { format::F32.flush(u64::from(a)) as u32 } else { a };
    match function {
        Approximate::Reciprocal => work.each32(|a, _, _| approximate::reciprocal(a, ftz)),
        Approximate::SquareRoot => work.each32(|a, _, _| approximate::square_root(a, ftz)),
        Approximate::ReciprocalSquareRoot => work.each32(|a, _, _| approximate::reciprocal_square_root(a, ftz)),
        Approximate::Sine => work.each32(|a, _, _| approximate::sine(flushed(a))),
        Approximate::Cosine => work.each32(|a, _, _| approximate::cosine(flushed(a))),
        Approximate::Logarithm => work.each32(|a, _, _| approximate::logarithm(a, ftz)),
        Approximate::Exponential => work.each32(|a, _, _| approximate::exponential(a, ftz)),
        Approximate::Tangent => work.each32(|a, _, _| approximate::tangent(a)),
        Approximate::Divide => work.each32(|a, b, _| approximate::divide(a, b, ftz)),
        Approximate::DivideFull => work.each32(|a, b, _| approximate::divide_full(a, b, ftz)),
        Approximate::ReciprocalDouble => work.each(|a, _, _| approximate::reciprocal_f64(a)),
        Approximate::ReciprocalSquareRootDouble => work.each(|a, _, _| approximate::reciprocal_square_root_f64(a)),
        Approximate::ExponentialF16 => work.each32(half(approximate::exponential_f16)),
        Approximate::ExponentialBf16 => work.each32(half(approximate::exponential_bf16)),
        Approximate::TangentF16 => work.each32(half(approximate::tangent_f16)),
        Approximate::TangentBf16 => work.each32(half(approximate::tangent_bf16)),
        Approximate::ExponentialF16x2 => work.each32(pair(approximate::exponential_f16)),
        Approximate::ExponentialBf16x2 => work.each32(pair(approximate::exponential_bf16)),
        Approximate::TangentF16x2 => work.each32(pair(approximate::tangent_f16)),
        Approximate::TangentBf16x2 => work.each32(pair(approximate::tangent_bf16)),
    }
}

pub(super) fn converted(conversion: Conversion, work: &mut Work<'_>) {
    match conversion {
        Conversion::Integer {
            from,
            to,
            saturate,
            width,
        } => work.each(|a, _, _| truncated(to.extend(convert::integer_to_integer(from, to, saturate, a)), width)),
        Conversion::ToFloat { from, to, modifiers } => {
            with_format!(to, F => work.each(|a, _, _| convert::integer_to_float(from, F, modifiers, a)));
        }
        Conversion::FromFloat {
            from,
            to,
            modifiers,
            width,
        } => with_format!(from, F => work.each(|a, _, _| {
            truncated(to.extend(convert::float_to_integer(F, to, modifiers.rounding, modifiers.ftz, a)), width)
        })),
        Conversion::Float { from, to, modifiers } => {
            let (from, to) = (from.format(), to.format());
            work.each(|a, _, _| convert::float_to_float(from, to, modifiers, a));
        }
        Conversion::Integral { format, modifiers } => {
            let format = format.format();
            work.each(|a, _, _| convert::round_to_integral(format, modifiers, a));
        }
        Conversion::Tf32 { modifiers } => work.each(|a, _, _| convert::to_tf32(modifiers, a)),
        Conversion::Pair { to, modifiers } => {
            let to = to.format();
            work.each(|a, b, _| convert::pair(to, modifiers, a, b));
        }
        Conversion::Repack { from, to, modifiers } => {
            let (from, to) = (from.format(), to.format());
            work.each(|a, _, _| convert::repack(from, to, modifiers, a));
        }
        Conversion::StochasticPair { to, modifiers } => {
            let to = to.format();
            work.each(|a, b, c| convert::stochastic_pair(to, modifiers, [a, b], c as u32));
        }
        Conversion::Pack { to } => {
            work.each32(|a, b, c| convert::pack_integers(to, a, b, c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FormatName, Function, LANES, Lanes, Modifiers, Real, Work, evaluate};

    /// Bits that are near every special case often.
    fn sample(state: &mut u64, wide: bool) -> u64 {
        *state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let bits = *state >> 7 ^ *state << 31;
        let (exponent_bits, mantissa_bits) = if wide { (11, 52) } else { (8, 23) };
        let exponents = [
            0,
            1,
            (1 << (exponent_bits - 1)) - 1,
            (1 << exponent_bits) - 2,
            (1 << exponent_bits) - 1,
        ];
        let (mantissa, exponent) = (bits & ((1 << mantissa_bits) - 1), bits >> 40);
        let exponent = match bits >> 60 {
            0..6 => exponents[(exponent % 5) as usize],
            6..12 => exponents[2] + exponent % 64 - 32,
            _ => exponent & ((1 << exponent_bits) - 1),
        };
        let mantissa = if bits & 0x300 == 0 { mantissa & 3 } else { mantissa };
        (bits >> 59 & 1) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa
    }

    fn agree(fast: fn(Real) -> Function, format: FormatName) {
        let mut state = 1;
        let operations = [
            Real::Add,
            Real::Subtract,
            Real::Multiply,
            Real::MultiplyAdd,
            Real::Divide,
            Real::SquareRoot,
        ];
        for operation in operations {
            for _ in 0..2000 {
                let mut lanes = || -> Lanes { std::array::from_fn(|_| sample(&mut state, format == FormatName::F64)) };
                let (a, b, c) = (lanes(), lanes(), lanes());
                let run = |function| {
                    let mut out = [0; LANES];
                    evaluate(
                        function,
                        &mut Work {
                            mask: u32::MAX,
                            a: &a,
                            b: &b,
                            c: &c,
                            out: &mut out,
                        },
                    );
                    out
                };
                let exact = run(Function::Real {
                    operation,
                    format,
                    modifiers: Modifiers::default(),
                });
                let found = run(fast(operation));
                for lane in 0..LANES {
                    assert_eq!(
                        found[lane], exact[lane],
                        "{operation:?} {:x} {:x} {:x}",
                        a[lane], b[lane], c[lane]
                    );
                }
            }
        }
    }

    #[test]
    fn the_host_gives_what_numerics_gives_in_single_precision() {
        agree(Function::Single, FormatName::F32);
    }

    #[test]
    fn the_host_gives_what_numerics_gives_in_double_precision() {
        agree(Function::Double, FormatName::F64);
    }
}
