//! Comparison, minimum, maximum and sign operations against the order of exact reals.

mod reference;

use reference::{Random, Real, cases, edges, finite, is_nan};
use std::cmp::Ordering;
use warpsmith_numerics::float::{Comparison, MinMax, abs, compare, copysign, max, max3, min, min3, neg};
use warpsmith_numerics::format::{BF16, F16, F32, F64, Format};

const FORMATS: [Format; 4] = [F16, BF16, F32, F64];

/// A value's sign and magnitude; an infinity is greater than all reals.
fn magnitude(format: Format, bits: u64) -> (bool, Option<Real>) {
    finite(format, bits).map_or((format.is_negative(bits), None), |(sign, real)| (sign, Some(real)))
}

fn order(format: Format, a: u64, b: u64) -> Ordering {
    let ((a_sign, a), (b_sign, b)) = (magnitude(format, a), magnitude(format, b));
    let magnitudes = match (&a, &b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(Real::Dyadic(m, e)), Some(Real::Dyadic(n, f))) => {
            let common = *e.min(f);
            (m << (e - common) as u64).cmp(&(n << (f - common) as u64))
        }
        _ => unreachable!("encodings are dyadic"),
    };
    let zeros = [&a, &b]
        .into_iter()
        .all(|value| value.as_ref().is_some_and(Real::is_zero));
    match (a_sign, b_sign) {
        _ if zeros => Ordering::Equal,
        (false, false) => magnitudes,
        (true, true) => magnitudes.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

/// Pairs of edges and of random operands.
fn pairs(format: Format, seed: u64) -> Vec<(u64, u64)> {
    let edges = edges(format);
    let mut random = Random::new(seed);
    let mut pairs: Vec<_> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    pairs.extend((0..cases(5_000)).map(|_| (random.operand(format), random.operand(format))));
    pairs
}

#[test]
fn comparisons() {
    for format in FORMATS {
        for (a, b) in pairs(format, 21) {
            let holds = |comparison| compare(format, comparison, false, a, b);
            let unordered = is_nan(format, a) || is_nan(format, b);
            assert_eq!(
                [holds(Comparison::Unordered), holds(Comparison::Numbers)],
                [unordered, !unordered]
            );
            let order = (!unordered).then(|| order(format, a, b));
            let expected = [
                order == Some(Ordering::Equal),
                order.is_some_and(Ordering::is_ne),
                order == Some(Ordering::Less),
                order.is_some_and(Ordering::is_le),
                order == Some(Ordering::Greater),
                order.is_some_and(Ordering::is_ge),
            ];
            let ordered = [
                Comparison::Equal,
                Comparison::NotEqual,
                Comparison::Less,
                Comparison::LessOrEqual,
                Comparison::Greater,
                Comparison::GreaterOrEqual,
            ];
            assert_eq!(ordered.map(holds), expected, "{} {a:x} {b:x}", format.name);
            let or_unordered = [
                Comparison::EqualOrUnordered,
                Comparison::NotEqualOrUnordered,
                Comparison::LessOrUnordered,
                Comparison::LessEqualOrUnordered,
                Comparison::GreaterOrUnordered,
                Comparison::GreaterEqualOrUnordered,
            ];
            assert_eq!(
                or_unordered.map(holds),
                expected.map(|holds| holds || unordered),
                "{} {a:x} {b:x}",
                format.name
            );
        }
    }
}

/// The lesser of two values that are not NaN, −0 being less than +0.
fn lesser(format: Format, a: u64, b: u64) -> u64 {
    match order(format, a, b) {
        Ordering::Less => a,
        Ordering::Greater => b,
        Ordering::Equal if format.is_negative(a) => a,
        Ordering::Equal => b,
    }
}

#[test]
fn minima_and_maxima() {
    let sign = Format::sign_bit;
    for format in FORMATS {
        for (a, b) in pairs(format, 22) {
            let plain = MinMax::default();
            let results = [min(format, plain, a, b), max(format, plain, a, b)];
            let strict = MinMax { nan: true, ..plain };
            let strict = [min(format, strict, a, b), max(format, strict, a, b)];
            match [a, b].map(|bits| is_nan(format, bits)) {
                [false, false] => {
                    let lesser = lesser(format, a, b);
                    assert_eq!(results, [lesser, a ^ b ^ lesser], "{} {a:x} {b:x}", format.name);
                    assert_eq!(strict, results);
                    let xorsign = MinMax {
                        abs: true,
                        xorsign: true,
                        ..plain
                    };
                    let [m, n] = [a & !sign(format), b & !sign(format)];
                    let signs = (a ^ b) & sign(format);
                    assert_eq!(
                        [min(format, xorsign, a, b), max(format, xorsign, a, b)],
                        [m.min(n) | signs, m.max(n) | signs]
                    );
                }
                [true, true] => assert!(results.iter().chain(&strict).all(|&bits| is_nan(format, bits))),
                [a_nan, _] => {
                    assert_eq!(results, [if a_nan { b } else { a }; 2]);
                    assert!(strict.iter().all(|&bits| is_nan(format, bits)));
                }
            }
        }
    }
}

#[test]
fn three_operands_are_two_twice() {
    let mut random = Random::new(23);
    for _ in 0..cases(10_000) {
        let [a, b, c] = [(); 3].map(|()| random.operand(F32));
        for nan in [false, true] {
            let modifiers = MinMax {
                nan,
                ftz: random.below(2) == 0,
                ..MinMax::default()
            };
            assert_eq!(
                min3(F32, modifiers, a, b, c),
                min(F32, modifiers, min(F32, modifiers, a, b), c)
            );
            assert_eq!(
                max3(F32, modifiers, a, b, c),
                max(F32, modifiers, max(F32, modifiers, a, b), c)
            );
        }
    }
}

#[test]
fn signs_of_every_half() {
    for format in [F16, BF16] {
        for a in 0..=0xffff {
            let expected = if is_nan(format, a) {
                [0x7fff; 2]
            } else {
                [a & 0x7fff, a ^ 0x8000]
            };
            assert_eq!([abs(format, false, a), neg(format, false, a)], expected);
            assert_eq!(copysign(format, 0x8000, a), a | 0x8000);
        }
    }
}
