//! Floating-point numbers.

use warpsmith_numerics::{
    approximate, convert,
    float::{self, Modifiers},
    format::{self, Format},
};

use super::{Approximate, Conversion, FormatName, Real, Work, host, truncated};

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
        Approximate::SineOfTurns => work.each32(|a, _, _| approximate::Function::Sine.evaluate(flushed(a))),
        Approximate::CosineOfTurns => work.each32(|a, _, _| approximate::Function::Cosine.evaluate(flushed(a))),
        Approximate::Logarithm => work.each32(|a, _, _| approximate::logarithm(a, ftz)),
        Approximate::Exponential => work.each32(|a, _, _| approximate::exponential(a, ftz)),
        Approximate::Tangent => work.each32(|a, _, _| approximate::tangent(a)),
        Approximate::Divide => work.each32(|a, b, _| approximate::divide(a, b, ftz)),
        Approximate::DivideFull => work.each32(|a, b, _| approximate::divide_full(a, b, ftz)),
        Approximate::ReciprocalDouble => work.each(|a, _, _| approximate::reciprocal_f64(a)),
        Approximate::RefinedReciprocalSquareRoot => work.each(|a, _, _| approximate::refined_reciprocal_square_root(a)),
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
        Conversion::ToFloat { from, to, modifiers } if host::from_integer(from, to, modifiers, work) => {}
        Conversion::FromFloat {
            from,
            to,
            modifiers,
            width,
        } if host::to_integer(from, to, modifiers, width, work) => {}
        Conversion::Float { from, to, modifiers } if host::between(from, to, modifiers, work) => {}
        Conversion::Pair { to, modifiers } if host::pair(to, modifiers, work) => {}
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
        Conversion::StochasticQuad { to, modifiers } => {
            let to = to.format();
            work.each(|ab, ef, c| {
                let values = [ab & 0xffff_ffff, ab >> 32, ef & 0xffff_ffff, ef >> 32];
                convert::stochastic_quad(to, modifiers, values, c as u32)
            });
        }
        Conversion::Pack { to } => {
            work.each32(|a, b, c| convert::pack_integers(to, a, b, c));
        }
    }
}
