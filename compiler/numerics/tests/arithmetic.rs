//! Arithmetic against exact reals: every pair of edges in every mode, then random operands.
//!
//! Set WARPSMITH_NUMERICS_EFFORT to a number to try that many times the usual cases.

mod reference;

use reference::{ROUNDINGS, Random, cases, edges, encode, finite, is_nan, product, quotient, root, sum};
use warpsmith_numerics::float::{Modifiers, add, add_mixed, div, fma, fma_mixed, mul, rcp, sqrt, sub, sub_mixed};
use warpsmith_numerics::format::{BF16, F16, F32, F64, Format};
use warpsmith_numerics::round::Rounding;

const FORMATS: [Format; 4] = [F16, BF16, F32, F64];

/// What is expected of an operation.
#[derive(Debug, PartialEq)]
enum Expected {
    Bits(u64),
    Nan,
}

fn infinity(format: Format, negative: bool) -> Expected {
    let magnitude = ((1u64 << format.exponent_bits) - 1) << format.mantissa_bits;
    Expected::Bits(magnitude | if negative { format.sign_bit() } else { 0 })
}

fn is_infinite(format: Format, bits: u64) -> bool {
    finite(format, bits).is_none() && !is_nan(format, bits)
}

/// A subnormal operand flushed.
fn operand(format: Format, ftz: bool, bits: u64) -> u64 {
    let small = bits & format.magnitude_mask() < 1 << format.mantissa_bits;
    if ftz && small { bits & format.sign_bit() } else { bits }
}

/// a · b + c with factors and addend each in their format.
fn expect_fma(from: Format, to: Format, modifiers: Modifiers, [a, b]: [u64; 2], c: u64) -> Expected {
    let [a, b] = [a, b].map(|bits| operand(from, modifiers.ftz, bits));
    let c = operand(to, modifiers.ftz, c);
    if is_nan(from, a) || is_nan(from, b) || is_nan(to, c) {
        return Expected::Nan;
    }
    let negative = from.is_negative(a) != from.is_negative(b);
    match (finite(from, a), finite(from, b), finite(to, c)) {
        (Some(a), Some(b), Some(c)) => match sum(&product(&a, &b), &c) {
            Some((sign, real)) => Expected::Bits(encode(to, modifiers.rounding, modifiers.ftz, sign, &real)),
            None => Expected::Bits(if modifiers.rounding == Rounding::TowardNegative {
                to.sign_bit()
            } else {
                0
            }),
        },
        (Some(_), Some(_), None) => infinity(to, to.is_negative(c)),
        (Some((_, zero)), None, _) | (None, Some((_, zero)), _) if zero.is_zero() => Expected::Nan,
        (_, _, None) if to.is_negative(c) != negative => Expected::Nan,
        _ => infinity(to, negative),
    }
}

fn expect_add(from: Format, to: Format, modifiers: Modifiers, a: u64, b: u64) -> Expected {
    expect_fma(from, to, modifiers, [a, from.one()], b)
}

/// A product is not a sum with +0: the sign of a zero is its own.
fn expect_mul(format: Format, modifiers: Modifiers, a: u64, b: u64) -> Expected {
    let negative = format.is_negative(a) != format.is_negative(b);
    let zero = if negative { format.sign_bit() } else { 0 };
    expect_fma(format, format, modifiers, [a, b], zero)
}

fn expect_div(format: Format, modifiers: Modifiers, a: u64, b: u64) -> Expected {
    let [a, b] = [a, b].map(|bits| operand(format, modifiers.ftz, bits));
    let negative = format.is_negative(a) != format.is_negative(b);
    let zero = Expected::Bits(if negative { format.sign_bit() } else { 0 });
    if is_nan(format, a) || is_nan(format, b) {
        return Expected::Nan;
    }
    match (finite(format, a), finite(format, b)) {
        (None, None) => Expected::Nan,
        (None, Some(_)) => infinity(format, negative),
        (Some(_), None) => zero,
        (Some((_, a)), Some((_, b))) if a.is_zero() && b.is_zero() => Expected::Nan,
        (Some(_), Some((_, b))) if b.is_zero() => infinity(format, negative),
        (Some(a), Some(b)) => {
            let (sign, real) = quotient(&a, &b);
            Expected::Bits(encode(format, modifiers.rounding, modifiers.ftz, sign, &real))
        }
    }
}

fn expect_sqrt(format: Format, modifiers: Modifiers, a: u64) -> Expected {
    let a = operand(format, modifiers.ftz, a);
    match finite(format, a) {
        Some((sign, real)) if real.is_zero() => Expected::Bits(if sign { format.sign_bit() } else { 0 }),
        Some((false, real)) => Expected::Bits(encode(format, modifiers.rounding, modifiers.ftz, false, &root(&real))),
        None if is_infinite(format, a) && !format.is_negative(a) => infinity(format, false),
        Some((true, _)) | None => Expected::Nan,
    }
}

/// Fails unless the result is the expected one; f64 alone has more than one NaN.
#[track_caller]
fn check(name: &str, format: Format, modifiers: Modifiers, operands: &[u64], result: u64, expected: &Expected) {
    let right = match expected {
        Expected::Bits(bits) => *bits == result,
        Expected::Nan if format == F64 => is_nan(format, result),
        Expected::Nan => result == format.magnitude_mask(),
    };
    assert!(
        right,
        "{name}.{} {modifiers:?} of {operands:x?} is {result:x}, not {expected:x?}",
        format.name
    );
}

fn check_all(format: Format, modifiers: Modifiers, [a, b, c]: [u64; 3]) {
    let run = |name, operands: &[u64], result, expected| check(name, format, modifiers, operands, result, &expected);
    run(
        "add",
        &[a, b],
        add(format, modifiers, a, b),
        expect_add(format, format, modifiers, a, b),
    );
    run(
        "sub",
        &[a, b],
        sub(format, modifiers, a, b),
        expect_add(format, format, modifiers, a, b ^ format.sign_bit()),
    );
    run(
        "mul",
        &[a, b],
        mul(format, modifiers, a, b),
        expect_mul(format, modifiers, a, b),
    );
    run(
        "fma",
        &[a, b, c],
        fma(format, modifiers, a, b, c),
        expect_fma(format, format, modifiers, [a, b], c),
    );
    run(
        "div",
        &[a, b],
        div(format, modifiers, a, b),
        expect_div(format, modifiers, a, b),
    );
}

fn modifiers(rounding: Rounding, ftz: bool) -> Modifiers {
    Modifiers {
        rounding,
        ftz,
        ..Modifiers::default()
    }
}

#[test]
fn edges_with_edges_in_every_mode() {
    for format in FORMATS {
        let edges = edges(format);
        for (index, (&a, &b)) in edges.iter().flat_map(|a| edges.iter().map(move |b| (a, b))).enumerate() {
            let c = edges[(index * 7 + index / 11) % edges.len()];
            for rounding in ROUNDINGS {
                check_all(format, modifiers(rounding, index % 2 == 0), [a, b, c]);
            }
        }
    }
}

#[test]
fn random_operands() {
    let mut random = Random::new(1);
    for case in 0..cases(12_000) {
        let format = FORMATS[case % 4];
        let operands = [(); 3].map(|()| random.operand(format));
        check_all(
            format,
            modifiers(ROUNDINGS[random.below(4)], random.below(4) == 0),
            operands,
        );
    }
}

/// Products with an addend that all but cancels them: what a second rounding would get wrong.
#[test]
fn cancelling_products() {
    let mut random = Random::new(2);
    for case in 0..cases(6_000) {
        let format = FORMATS[case % 4];
        let [a, b] = [(); 2].map(|()| random.operand(format));
        let near = mul(format, modifiers(ROUNDINGS[random.below(4)], false), a, b) ^ format.sign_bit();
        let c = near.wrapping_add(random.below(5) as u64).wrapping_sub(2) & format.mask();
        let modifiers = modifiers(ROUNDINGS[random.below(4)], false);
        let expected = expect_fma(format, format, modifiers, [a, b], c);
        check(
            "fma",
            format,
            modifiers,
            &[a, b, c],
            fma(format, modifiers, a, b, c),
            &expected,
        );
    }
}

/// Results near the smallest normal value, where flushing begins.
#[test]
fn results_about_to_be_flushed() {
    let mut random = Random::new(3);
    for case in 0..cases(6_000) {
        let format = FORMATS[case % 3];
        let p = format.mantissa_bits;
        let a = (random.bits() & ((1 << p) - 1)) | (1 + random.bits() % 40).min(28) << p;
        let target = (1 << p) + random.below(3) as u64 - 1;
        let b = div(format, Modifiers::default(), target, a);
        let b = b.wrapping_add(random.below(3) as u64).wrapping_sub(1) & format.mask();
        let modifiers = modifiers(ROUNDINGS[random.below(4)], true);
        let expected = expect_mul(format, modifiers, a, b);
        check(
            "mul",
            format,
            modifiers,
            &[a, b],
            mul(format, modifiers, a, b),
            &expected,
        );
    }
}

#[test]
fn roots_and_reciprocals_of_every_half() {
    for format in [F16, BF16] {
        for a in 0..=0xffff {
            let modifiers = modifiers(ROUNDINGS[a as usize % 4], a % 3 == 0);
            check(
                "sqrt",
                format,
                modifiers,
                &[a],
                sqrt(format, modifiers, a),
                &expect_sqrt(format, modifiers, a),
            );
            let expected = expect_div(format, modifiers, format.one(), a);
            check("rcp", format, modifiers, &[a], rcp(format, modifiers, a), &expected);
        }
    }
}

#[test]
fn roots_and_reciprocals_of_random_values() {
    let mut random = Random::new(4);
    for case in 0..cases(12_000) {
        let format = [F32, F64][case % 2];
        let a = random.operand(format);
        let modifiers = modifiers(ROUNDINGS[random.below(4)], random.below(4) == 0);
        check(
            "sqrt",
            format,
            modifiers,
            &[a],
            sqrt(format, modifiers, a),
            &expect_sqrt(format, modifiers, a),
        );
        let square = mul(format, Modifiers::default(), a, a);
        check(
            "sqrt",
            format,
            modifiers,
            &[square],
            sqrt(format, modifiers, square),
            &expect_sqrt(format, modifiers, square),
        );
        let expected = expect_div(format, modifiers, format.one(), a);
        check("rcp", format, modifiers, &[a], rcp(format, modifiers, a), &expected);
    }
}

#[test]
fn mixed_precision() {
    let mut random = Random::new(5);
    for case in 0..cases(6_000) {
        let from = [F16, BF16][case % 2];
        let [a, b] = [(); 2].map(|()| random.operand(from));
        let c = random.operand(F32);
        let modifiers = modifiers(ROUNDINGS[random.below(4)], false);
        let run = |name, operands: &[u64], result, expected| check(name, F32, modifiers, operands, result, &expected);
        run(
            "add",
            &[a, c],
            add_mixed(from, modifiers, a, c),
            expect_add(from, F32, modifiers, a, c),
        );
        let negated = c ^ F32.sign_bit();
        run(
            "sub",
            &[a, c],
            sub_mixed(from, modifiers, a, c),
            expect_add(from, F32, modifiers, a, negated),
        );
        run(
            "fma",
            &[a, b, c],
            fma_mixed(from, modifiers, a, b, c),
            expect_fma(from, F32, modifiers, [a, b], c),
        );
    }
}

/// The host's arithmetic is IEEE 754 to nearest: a second judge, quick enough for many more cases.
#[test]
fn nearest_against_the_host() {
    let mut random = Random::new(6);
    let plain = Modifiers::default();
    let same32 = |name: &str, operands: [u64; 3], result: u64, host: f32| {
        let expected = if host.is_nan() {
            0x7fff_ffff
        } else {
            u64::from(host.to_bits())
        };
        assert_eq!(result, expected, "{name}.f32 of {operands:x?}");
    };
    let same64 = |name: &str, operands: [u64; 3], result: u64, host: f64| {
        let right = if host.is_nan() {
            is_nan(F64, result)
        } else {
            result == host.to_bits()
        };
        assert!(
            right,
            "{name}.f64 of {operands:x?} is {result:x}, not {:x}",
            host.to_bits()
        );
    };
    for _ in 0..cases(50_000) {
        let operands @ [a, b, c] = [(); 3].map(|()| random.operand(F32));
        let [x, y, z] = operands.map(|bits| f32::from_bits(bits as u32));
        same32("add", operands, add(F32, plain, a, b), x + y);
        same32("mul", operands, mul(F32, plain, a, b), x * y);
        same32("fma", operands, fma(F32, plain, a, b, c), x.mul_add(y, z));
        same32("div", operands, div(F32, plain, a, b), x / y);
        same32("sqrt", operands, sqrt(F32, plain, a), x.sqrt());
        let operands @ [a, b, c] = [(); 3].map(|()| random.operand(F64));
        let [x, y, z] = operands.map(f64::from_bits);
        same64("add", operands, add(F64, plain, a, b), x + y);
        same64("mul", operands, mul(F64, plain, a, b), x * y);
        same64("fma", operands, fma(F64, plain, a, b, c), x.mul_add(y, z));
        same64("div", operands, div(F64, plain, a, b), x / y);
        same64("sqrt", operands, sqrt(F64, plain, a), x.sqrt());
    }
}
