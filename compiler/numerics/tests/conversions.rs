//! Conversions against exact reals: every value of 16 and fewer bits, edges and random values of the wider types.
//!
//! Set WARPSMITH_NUMERICS_EFFORT to a number to try that many times the usual cases.

mod reference;

use num_bigint::BigUint;
use reference::{ROUNDINGS, Random, Real, cases, edges, encode, finite, integer, is_nan};
use warpsmith_numerics::convert::{
    Integer, Modifiers, S8, S16, S32, S64, U8, U16, U32, U64, float_to_float, float_to_integer, integer_to_float,
    integer_to_integer, pack_integers, repack, round_to_integral, stochastic_pair, stochastic_quad, to_tf32,
};
use warpsmith_numerics::format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format, TF32, UE8M0};
use warpsmith_numerics::round::{Overflow, Rounding};

const FLOATS: [Format; 4] = [F16, BF16, F32, F64];
const NARROW: [Format; 5] = [E4M3, E5M2, E3M2, E2M3, E2M1];
const INTEGERS: [Integer; 8] = [U8, U16, U32, U64, S8, S16, S32, S64];

fn plain(rounding: Rounding) -> Modifiers {
    Modifiers::from(rounding)
}

/// A finite source rounded to the destination; the largest finite value in place of an overflow if `saturate`.
fn expect(from: Format, to: Format, rounding: Rounding, saturate: bool, a: u64) -> Option<u64> {
    let (sign, real) = finite(from, a)?;
    let sign = sign && to.signed;
    let bits = encode(to, rounding, false, sign, &real);
    let overflowed = finite(to, bits).is_none() || (to.infinity().is_none() && beyond(to, &real));
    Some(if saturate && overflowed {
        to.largest_finite() | if sign { to.sign_bit() } else { 0 }
    } else {
        bits
    })
}

/// Whether a real is greater than all finite values.
fn beyond(to: Format, real: &Real) -> bool {
    let Some((_, Real::Dyadic(n, e))) = finite(to, to.largest_finite()) else {
        return false;
    };
    let Real::Dyadic(m, f) = real else { return false };
    let common = e.min(*f);
    (m << (f - common) as u64) > (n << (e - common) as u64)
}

#[track_caller]
fn check_float(from: Format, to: Format, rounding: Rounding, saturate: bool, a: u64) {
    let Some(expected) = expect(from, to, rounding, saturate, a) else {
        return;
    };
    let overflow = if saturate {
        Overflow::LargestFinite
    } else {
        Overflow::Infinity
    };
    let result = float_to_float(
        from,
        to,
        Modifiers {
            overflow,
            ..plain(rounding)
        },
        a,
    );
    assert_eq!(result, expected, "{}.{} {rounding:?} of {a:x}", to.name, from.name);
}

#[test]
fn every_half_to_every_float() {
    for from in [F16, BF16] {
        for to in FLOATS.into_iter().filter(|to| *to != from) {
            for a in 0..=0xffff {
                check_float(from, to, ROUNDINGS[(a as usize ^ (a as usize >> 7)) % 4], a & 1 == 1, a);
            }
        }
    }
}

#[test]
fn every_half_to_every_narrow_format() {
    for to in NARROW {
        for a in 0..=0xffff {
            check_float(F16, to, Rounding::NearestEven, true, a);
        }
    }
    for a in 0..=0xffff {
        for rounding in [Rounding::TowardZero, Rounding::TowardPositive] {
            check_float(BF16, UE8M0, rounding, a & 1 == 1, a);
        }
    }
}

#[test]
fn every_narrow_value_to_half() {
    for (from, to) in NARROW.map(|from| (from, F16)).into_iter().chain([(UE8M0, BF16)]) {
        for a in 0..=from.mask() {
            match expect(from, to, Rounding::NearestEven, false, a) {
                Some(_) => check_float(from, to, Rounding::NearestEven, false, a),
                None if is_nan(from, a) => assert_eq!(float_to_float(from, to, Modifiers::default(), a), 0x7fff),
                None => assert_eq!(float_to_float(from, to, Modifiers::default(), a) & 0x7fff, 0x7c00),
            }
        }
    }
}

/// f32 values at, between and next to the values of a narrow format, and midway between two of them.
#[test]
fn single_precision_around_narrow_values() {
    for to in NARROW.into_iter().chain([UE8M0]) {
        for narrow in 0..=to.mask() {
            let Some((sign, real)) = finite(to, narrow) else {
                continue;
            };
            let exact = encode(F32, Rounding::NearestEven, false, sign, &real);
            for step in [0, 1, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 3 << 19, 3 << 20, 3 << 21] {
                for a in [exact + step, exact + step + 1, (exact + step).wrapping_sub(1)] {
                    for rounding in ROUNDINGS {
                        check_float(F32, to, rounding, true, a & 0xffff_ffff);
                    }
                }
            }
        }
    }
}

#[test]
fn single_precision_to_sixteen_bits() {
    let mut random = Random::new(11);
    for upper in 0..=0xffff_u64 {
        for lower in [0x8000, 0x1000, random.bits() & 0xffff] {
            let a = upper << 16 | lower;
            check_float(
                F32,
                [F16, BF16][upper as usize & 1],
                ROUNDINGS[random.below(4)],
                random.below(2) == 0,
                a,
            );
        }
    }
}

#[test]
fn wide_floats() {
    let mut random = Random::new(12);
    for case in 0..cases(60_000) {
        let from = [F32, F64][case % 2];
        let to = [F16, BF16, F32, F64, E4M3, E5M2, E2M1][random.below(7)];
        let saturate = to.infinity().is_none() || case % 3 == 0;
        if from != to {
            check_float(from, to, ROUNDINGS[random.below(4)], saturate, random.operand(from));
        }
    }
}

#[test]
fn tf32() {
    let mut random = Random::new(13);
    let roundings = [Rounding::NearestEven, Rounding::TowardZero, Rounding::NearestAway];
    for case in 0..cases(30_000) {
        let (rounding, saturate) = (roundings[case % 3], case % 2 == 0);
        let low = [0x1000, 0x0fff, 0x1001, 0x1fff, 0, random.bits() & 0x1fff][random.below(6)];
        let a = (random.operand(F32) & !0x1fff) | low;
        let Some(expected) = expect(F32, TF32, rounding, saturate, a) else {
            continue;
        };
        let overflow = if saturate {
            Overflow::LargestFinite
        } else {
            Overflow::Infinity
        };
        assert_eq!(
            to_tf32(
                Modifiers {
                    overflow,
                    ..plain(rounding)
                },
                a
            ),
            expected,
            "{rounding:?} of {a:x}"
        );
    }
}

#[track_caller]
fn check_integer(from: Format, to: Integer, rounding: Rounding, a: u64) {
    let (smallest, largest) = to.range();
    let expected = match finite(from, a) {
        Some((sign, real)) => {
            let magnitude = i128::try_from(integer(rounding, sign, &real)).unwrap_or(i128::MAX);
            (if sign { -magnitude } else { magnitude }).clamp(smallest, largest)
        }
        None if is_nan(from, a) && (from == F64 || to.bits == 64) => 1 << (to.bits - 1),
        None if is_nan(from, a) => 0,
        None if from.is_negative(a) => smallest,
        None => largest,
    };
    let mask = u64::MAX >> (64 - to.bits);
    let result = float_to_integer(from, to, rounding, false, a);
    assert_eq!(
        result,
        expected as u64 & mask,
        "{to:?}.{} {rounding:?} of {a:x}",
        from.name
    );
}

#[test]
fn every_half_to_every_integer() {
    for from in [F16, BF16] {
        for a in 0..=0xffff {
            for (index, to) in INTEGERS.into_iter().enumerate() {
                check_integer(from, to, ROUNDINGS[(a as usize + index) % 4], a);
            }
        }
    }
}

#[test]
fn wide_floats_to_integers() {
    let mut random = Random::new(14);
    for from in [F32, F64] {
        for a in edges(from) {
            for (to, rounding) in INTEGERS
                .into_iter()
                .flat_map(|to| ROUNDINGS.map(|rounding| (to, rounding)))
            {
                check_integer(from, to, rounding, a);
            }
        }
        for _ in 0..cases(30_000) {
            // Around the ends of the ranges and anywhere.
            let exponent = from.bias as u64 + random.bits() % 70;
            let near = exponent << from.mantissa_bits | random.operand(from) & !(from.mask() << from.mantissa_bits);
            let sign = random.bits() & from.sign_bit();
            let a = if random.below(3) == 0 {
                random.operand(from)
            } else {
                near | sign
            };
            check_integer(from, INTEGERS[random.below(8)], ROUNDINGS[random.below(4)], a);
        }
    }
}

#[track_caller]
fn check_from_integer(from: Integer, to: Format, rounding: Rounding, a: u64) {
    let value = from.value(a);
    let real = Real::Dyadic(BigUint::from(value.unsigned_abs()), 0);
    let expected = encode(to, rounding, false, value < 0, &real);
    assert_eq!(
        integer_to_float(from, to, plain(rounding), a),
        expected,
        "{}.{from:?} {rounding:?} of {a:x}",
        to.name
    );
}

#[test]
fn integers_to_floats() {
    let mut random = Random::new(15);
    for a in 0..=0xffff {
        let to = FLOATS[a as usize % 4];
        check_from_integer(S16, to, ROUNDINGS[(a as usize >> 2) % 4], a);
        check_from_integer(U16, to, ROUNDINGS[(a as usize >> 3) % 4], a);
    }
    for _ in 0..cases(60_000) {
        // Runs of ones and zeros make carries and ties.
        let a = (random.bits() >> random.below(64)) ^ (u64::MAX << random.below(64));
        check_from_integer(
            INTEGERS[random.below(8)],
            FLOATS[random.below(4)],
            ROUNDINGS[random.below(4)],
            a,
        );
    }
}

#[test]
fn integers_to_integers() {
    let mut random = Random::new(16);
    for _ in 0..cases(60_000) {
        let (from, to) = (INTEGERS[random.below(8)], INTEGERS[random.below(8)]);
        let a = (random.bits() >> random.below(64)) ^ (u64::MAX << random.below(64));
        let value = reread(from, a);
        let (smallest, largest) = to.range();
        assert_eq!(
            reread(to, integer_to_integer(from, to, true, a)),
            value.clamp(smallest, largest)
        );
        let low = integer_to_integer(from, to, false, a);
        let modulus = 1i128 << to.bits;
        assert_eq!(i128::from(low), value.rem_euclid(modulus), "{to:?}.{from:?} of {a:x}");
    }
}

/// The value of an integer's low bits, by Rust's casts.
fn reread(of: Integer, bits: u64) -> i128 {
    match (of.bits, of.signed) {
        (8, false) => (bits as u8).into(),
        (16, false) => (bits as u16).into(),
        (32, false) => (bits as u32).into(),
        (64, false) => bits.into(),
        (8, true) => (bits as i8).into(),
        (16, true) => (bits as i16).into(),
        (32, true) => (bits as i32).into(),
        (64, true) => (bits as i64).into(),
        _ => unreachable!("a type of PTX"),
    }
}

#[test]
fn packed_integers_bit_by_bit() {
    let mut random = Random::new(17);
    for _ in 0..cases(20_000) {
        let to = Integer {
            bits: [2, 4, 8, 16][random.below(4)],
            signed: random.below(2) == 0,
        };
        let [a, b, c] = [(); 3].map(|()| (random.bits() >> random.below(64)) as u32);
        let (smallest, largest) = to.range();
        let [upper, lower] = [a, b].map(|value| i128::from(value as i32).clamp(smallest, largest));
        let packed = pack_integers(to, a, b, c);
        for bit in 0..32 {
            let expected = match bit / to.bits {
                0 => lower >> bit & 1 == 1,
                1 => upper >> (bit - to.bits) & 1 == 1,
                _ => c >> (bit - 2 * to.bits) & 1 == 1,
            };
            assert_eq!(
                packed >> bit & 1 == 1,
                expected,
                "bit {bit} of {to:?} {a:x} {b:x} {c:x}"
            );
        }
    }
}

#[test]
fn integral_values() {
    let mut random = Random::new(18);
    let check = |format: Format, rounding, a| {
        let Some((sign, real)) = finite(format, a) else { return };
        let integral = Real::Dyadic(integer(rounding, sign, &real), 0);
        let expected = encode(format, Rounding::NearestEven, false, sign, &integral);
        assert_eq!(
            round_to_integral(format, plain(rounding), a),
            expected,
            "{} {rounding:?} of {a:x}",
            format.name
        );
    };
    for a in 0..=0xffff {
        check(F16, ROUNDINGS[a as usize % 4], a);
        check(BF16, ROUNDINGS[a as usize % 4], a);
    }
    for case in 0..cases(30_000) {
        let format = [F32, F64][case % 2];
        let exponent = format.bias as u64 - 2 + random.bits() % 60;
        let near = exponent << format.mantissa_bits | random.operand(format) & !(format.mask() << format.mantissa_bits);
        let a = if random.below(4) == 0 {
            random.operand(format)
        } else {
            near | random.bits() & format.sign_bit()
        };
        check(format, ROUNDINGS[random.below(4)], a);
    }
}

#[test]
fn stochastic_rounding() {
    let mut random = Random::new(19);
    let saturating = Modifiers {
        overflow: Overflow::LargestFinite,
        ..Modifiers::default()
    };
    for _ in 0..cases(10_000) {
        let values = [(); 4].map(|()| (100 + random.bits() % 56) << 23 | random.bits() & 0x807f_ffff);
        let bits = random.bits() as u32;
        let expect = |to, value, random, bits| {
            expect(F32, to, Rounding::Stochastic { random, bits }, true, value).expect("finite")
        };
        let [a, b, e, f] = values;
        let packed = stochastic_pair(F16, saturating, [a, b], bits);
        let expected = [
            expect(F16, a, bits >> 16 & 0x1fff, 13),
            expect(F16, b, bits & 0x1fff, 13),
        ];
        assert_eq!([packed >> 16, packed & 0xffff], expected);
        let packed = stochastic_pair(BF16, saturating, [a, b], bits);
        assert_eq!(
            [packed >> 16, packed & 0xffff],
            [expect(BF16, a, bits >> 16, 16), expect(BF16, b, bits & 0xffff, 16)]
        );
        for to in [E4M3, E5M2, E3M2, E2M3] {
            let (upper, lower) = (bits >> 16, bits & 0xffff);
            let expected = [
                expect(to, a, upper, 16),
                expect(to, b, upper, 16),
                expect(to, e, lower, 16),
                expect(to, f, lower, 16),
            ];
            let packed = stochastic_quad(to, saturating, values, bits);
            assert_eq!(
                [24, 16, 8, 0].map(|shift| packed >> shift & 0xff),
                expected,
                "{} {values:x?} {bits:x}",
                to.name
            );
        }
    }
}

/// The elements of packed types keep their places.
#[test]
fn every_pair_of_narrow_values() {
    for from in NARROW {
        let stride = if from == E2M1 { 4 } else { 8 };
        for packed in 0..1u64 << (2 * stride) {
            let lanes = [packed >> stride, packed].map(|value| float_to_float(from, F16, Modifiers::default(), value));
            assert_eq!(
                repack(from, F16, Modifiers::default(), packed),
                lanes[0] << 16 | lanes[1]
            );
        }
    }
}
