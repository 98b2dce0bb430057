//! Against rational arithmetic: alignment and cuts as floors of fractions, on random operands close to and far from each other.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{Dot, Generation, Instruction, Output, ScaledDot, integer};
use crate::format::{BF16, E2M1, E3M2, E4M3, E5M2, F16, F32, Format, TF32, UE4M3, UE8M0};
use crate::integer::samples::{Samples, count};
use crate::integer::{S8, U8};

fn two_to(exponent: i32) -> BigRational {
    let power = BigRational::from_integer(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

/// The value and the exponent that takes part in the alignment, from the fields of an encoding.
fn decode(format: Format, bits: u64) -> (BigRational, i32) {
    let code = (bits & format.magnitude_mask()) >> format.padding;
    let field = (code >> format.mantissa_bits) as i32;
    let fraction = BigRational::new(
        BigInt::from(code % (1 << format.mantissa_bits)),
        BigInt::one() << format.mantissa_bits,
    );
    let (whole, exponent) = if field == 0 && format.has_zero {
        (fraction, 1 - format.bias)
    } else {
        (fraction + BigRational::one(), field - format.bias)
    };
    if whole.is_zero() {
        return (whole, -126);
    }
    let magnitude = whole * two_to(exponent);
    let value = if bits & format.sign_bit() == 0 {
        magnitude
    } else {
        -magnitude
    };
    (value, exponent)
}

/// A number cut toward zero to a multiple of two to the power of `last`.
fn cut(value: &BigRational, last: i32) -> BigRational {
    (value / two_to(last)).trunc() * two_to(last)
}

/// The sum of terms, each cut `fraction_bits` below the largest exponent.
fn fused(terms: &[(BigRational, i32)], fraction_bits: i32) -> BigRational {
    let largest = terms.iter().map(|term| term.1).max().expect("terms");
    terms.iter().map(|term| cut(&term.0, largest - fraction_bits)).sum()
}

/// The exponent of the leading bit, at least `least`.
fn exponent(value: &BigRational, least: i32) -> i32 {
    if value.is_zero() {
        return least;
    }
    // The lengths of numerator and denominator tell it up to one.
    let guess = value.numer().bits() as i32 - value.denom().bits() as i32;
    let exponent = if value.abs() >= two_to(guess) { guess } else { guess - 1 };
    exponent.max(least)
}

/// A value representable in a format as bits.
fn encode(format: Format, value: &BigRational) -> u64 {
    if value.is_zero() {
        return 0;
    }
    let least = 1 - format.bias;
    let leading = exponent(value, least);
    if leading > format.bias {
        return format.infinity().expect("infinity") | if value.is_negative() { format.sign_bit() } else { 0 };
    }
    let scaled = value.abs() / two_to(leading - format.mantissa_bits as i32);
    assert!(scaled.is_integer());
    let significand = scaled.to_integer().to_u64().expect("small");
    let code = ((leading - least) as u64) << format.mantissa_bits;
    (code + significand) | if value.is_negative() { format.sign_bit() } else { 0 }
}

fn to_f32(value: &BigRational, kept: i32) -> u64 {
    encode(F32, &cut(value, exponent(value, -126) - kept))
}

fn to_f16(value: &BigRational) -> u64 {
    let unit = two_to(exponent(value, -14) - 10);
    let scaled = value / &unit;
    let floor = scaled.floor();
    let above = &scaled - &floor;
    let half = BigRational::new(1.into(), 2.into());
    let odd = (floor.to_integer() % BigInt::from(2)) != BigInt::zero();
    let up = above > half || (above == half && odd);
    let rounded = if up { floor + BigRational::one() } else { floor };
    encode(F16, &(rounded * unit))
}

/// A finite operand, often near 1, sometimes zero or subnormal.
fn operand(samples: &mut Samples, format: Format) -> u64 {
    loop {
        let mantissa = (samples.next() % (1 << format.mantissa_bits)) << format.padding;
        let spread = samples.next() % 12;
        let exponent = (format.one() >> format.padding >> format.mantissa_bits).saturating_add(spread) as i64 - 6;
        let near = ((exponent.max(0) as u64) << format.mantissa_bits << format.padding) | mantissa;
        let bits = match samples.next() % 8 {
            0 => samples.next(),
            1 => mantissa,
            _ => near,
        } & format.magnitude_mask()
            | samples.next() & format.sign_bit();
        if !format.is_nan(bits) && !format.is_infinite(bits) {
            return bits;
        }
    }
}

struct Case {
    generation: Generation,
    instruction: Instruction,
    formats: [Format; 2],
    block: usize,
    fraction_bits: i32,
    kept: i32,
}

const fn case(
    generation: Generation,
    instruction: Instruction,
    formats: [Format; 2],
    block: usize,
    fraction_bits: i32,
    kept: i32,
) -> Case {
    Case {
        generation,
        instruction,
        formats,
        block,
        fraction_bits,
        kept,
    }
}

use Generation::{Ada, Ampere, Blackwell, ConsumerBlackwell, Hopper, Turing, Volta};
use Instruction::{Mma, Tcgen05, Wgmma};

const CASES: [Case; 15] = [
    case(Volta, Mma, [F16; 2], 4, 23, 23),
    case(Turing, Mma, [F16; 2], 8, 24, 23),
    case(Ampere, Mma, [F16; 2], 8, 24, 23),
    case(Ampere, Mma, [BF16; 2], 8, 24, 23),
    case(Ampere, Mma, [TF32; 2], 4, 24, 23),
    case(Ada, Mma, [BF16; 2], 8, 24, 23),
    case(Ada, Mma, [E4M3, E5M2], 16, 13, 13),
    case(Hopper, Mma, [F16; 2], 16, 25, 23),
    case(Hopper, Wgmma, [TF32; 2], 8, 25, 23),
    case(Hopper, Wgmma, [E5M2, E4M3], 32, 13, 13),
    case(Blackwell, Tcgen05, [BF16; 2], 16, 25, 23),
    case(Blackwell, Tcgen05, [E4M3, E2M1], 32, 25, 23),
    case(Blackwell, Tcgen05, [E3M2, E5M2], 32, 25, 23),
    case(ConsumerBlackwell, Mma, [E5M2; 2], 32, 25, 23),
    case(ConsumerBlackwell, Mma, [TF32; 2], 8, 25, 23),
];

#[test]
fn floating_point_dot_products() {
    let mut samples = Samples::new(31);
    for case in &CASES {
        for _ in 0..count(60) {
            let length = 1 + samples.next() as usize % (2 * case.block);
            let products: Vec<(u64, u64)> = (0..length)
                .map(|_| {
                    (
                        operand(&mut samples, case.formats[0]),
                        operand(&mut samples, case.formats[1]),
                    )
                })
                .collect();
            for output in [Output::F32, Output::F16] {
                let format = output.format();
                let c = operand(&mut samples, format);
                let mut expected = c;
                for block in products.chunks(case.block) {
                    if format.is_infinite(expected) {
                        break;
                    }
                    let mut terms = vec![decode(format, expected)];
                    terms.extend(block.iter().map(|&(a, b)| {
                        let (a, b) = (decode(case.formats[0], a), decode(case.formats[1], b));
                        (a.0 * b.0, a.1 + b.1)
                    }));
                    let sum = fused(&terms, case.fraction_bits);
                    expected = match output {
                        Output::F32 => to_f32(&sum, case.kept),
                        Output::F16 => to_f16(&sum),
                    };
                }
                let [a, b] = case.formats;
                let dot = Dot::new(case.generation, case.instruction, a, b, output);
                assert_eq!(dot.block(), case.block);
                assert_eq!(
                    dot.accumulate(products.iter().copied(), c),
                    expected,
                    "{dot:?} {products:x?} {c:#x}"
                );
            }
        }
    }
}

#[test]
fn the_first_bit_below_f32_tells_volta_from_turing() {
    // 1 + 2^-24 + 2^-24: each of the small products is half of the last place.
    let products = [(0x0c00, 0x0c00); 2];
    let at =
        |generation| Dot::new(generation, Mma, F16, F16, Output::F32).accumulate(products.iter().copied(), 0x3f80_0000);
    assert_eq!([Volta, Turing, Hopper].map(at), [0x3f80_0000, 0x3f80_0001, 0x3f80_0001]);
    // 1 + four times 2^-25.
    let products = [(0x0c00, 0x0800); 4];
    let at =
        |generation| Dot::new(generation, Mma, F16, F16, Output::F32).accumulate(products.iter().copied(), 0x3f80_0000);
    assert_eq!(
        [Turing, Ampere, Hopper].map(at),
        [0x3f80_0000, 0x3f80_0000, 0x3f80_0001]
    );
}

#[test]
fn hopper_multiplies_eight_bit_operands_of_mma_as_f16() {
    // c comes last and is rounded to nearest even: it is not cut.
    let mut products = [(0, 0); 32];
    products[0] = (0xb8, 0x38);
    products[2] = (0x38, 0x38);
    products[31] = (0x01, 0x01);
    let dot = Dot::new(Hopper, Mma, E4M3, E4M3, Output::F32);
    assert_eq!(dot.accumulate(products.iter().copied(), 0), 0x3680_0000); // 2^-18
    assert_eq!(dot.accumulate(products.iter().copied(), 0x42ff_fffe), 0x42ff_fffe);
    assert_eq!(dot.accumulate(products.iter().copied(), 0x42ff_ffff), 0x4300_0000);
}

#[test]
fn infinities_and_nans() {
    let dot = Dot::new(Ampere, Mma, F16, F16, Output::F32);
    let (one, infinity, minus_infinity) = (0x3c00, 0x7c00, 0xfc00);
    let at = |products: &[(u64, u64)], c| dot.accumulate(products.iter().copied(), c);
    assert_eq!(at(&[(infinity, one)], 0), 0x7f80_0000);
    assert_eq!(at(&[(infinity, minus_infinity)], 0), 0xff80_0000);
    assert_eq!(at(&[(infinity, 0)], 0), 0x7fff_ffff);
    assert_eq!(at(&[(infinity, one), (minus_infinity, one)], 0), 0x7fff_ffff);
    assert_eq!(at(&[(one, one)], 0xffc0_0000), 0x7fff_ffff);
    assert_eq!(at(&[(one, one)], 0xff80_0000), 0xff80_0000);
    let half = Dot::new(Ampere, Mma, F16, F16, Output::F16);
    assert_eq!(half.accumulate([(0x7bff, one)].into_iter(), 0x7bff), 0x7c00);
    assert_eq!(half.accumulate([(0x7e00, one)].into_iter(), 0), 0x7fff);
}

#[test]
fn zeros_are_positive() {
    let dot = Dot::new(Ampere, Mma, F16, F16, Output::F32);
    assert_eq!(dot.accumulate([(0x8000, 0x3c00)].into_iter(), 0x8000_0000), 0);
    assert_eq!(dot.accumulate(core::iter::empty(), 0x8000_0000), 0);
}

#[test]
fn scaled_eight_bit_products() {
    let mut samples = Samples::new(32);
    let dot = Dot::new(Blackwell, Tcgen05, E4M3, E5M2, Output::F32);
    for _ in 0..count(100) {
        let products: Vec<(u64, u64)> = (0..32)
            .map(|_| (operand(&mut samples, E4M3), operand(&mut samples, E5M2)))
            .collect();
        let scales = [0; 2].map(|_| 120 + samples.next() % 16);
        let c = operand(&mut samples, F32);
        let [x, y] = scales.map(|bits| decode(UE8M0, bits));
        let mut terms = vec![decode(F32, c)];
        terms.extend(products.iter().map(|&(a, b)| {
            let (a, b) = (decode(E4M3, a), decode(E5M2, b));
            (a.0 * b.0 * &x.0 * &y.0, a.1 + b.1 + x.1 + y.1)
        }));
        assert_eq!(
            dot.accumulate_scaled(products.iter().copied(), c, scales),
            to_f32(&fused(&terms, 25), 23)
        );
    }
    assert_eq!(
        dot.accumulate_scaled([(0x38, 0x3c)].into_iter(), 0, [0xff, 0x7f]),
        0x7fff_ffff,
        "a scale that is no number"
    );
}

#[test]
fn scaled_four_bit_products() {
    let mut samples = Samples::new(33);
    for dot in [
        ScaledDot::MXF4,
        ScaledDot::NVF4,
        ScaledDot {
            scale: UE8M0,
            block: 16,
        },
    ] {
        for _ in 0..count(100) {
            let products: Vec<(u64, u64)> = (0..64).map(|_| (samples.next() & 15, samples.next() & 15)).collect();
            let scales: Vec<(u64, u64)> = (0..64 / dot.block)
                .map(|_| {
                    let mut scale = || match dot.scale {
                        UE4M3 => samples.next() % 0x7f,
                        _ => 110 + samples.next() % 32,
                    };
                    (scale(), scale())
                })
                .collect();
            let c = operand(&mut samples, F32);
            let mut terms = vec![decode(F32, c)];
            for (index, group) in products.chunks(16).enumerate() {
                let sum: BigRational = group.iter().map(|&(a, b)| decode(E2M1, a).0 * decode(E2M1, b).0).sum();
                let (x, y) = scales[index * 16 / dot.block];
                let (x, y) = (decode(dot.scale, x), decode(dot.scale, y));
                // The cut applies to the group's sum times the significands, relative to the scales' exponents.
                terms.push((sum * x.0 * y.0, x.1 + y.1));
            }
            assert_eq!(
                dot.accumulate(products.iter().copied(), |block| scales[block], c),
                to_f32(&fused(&terms, 35), 23)
            );
        }
    }
}

#[test]
fn integer_dot_products() {
    let mut samples = Samples::new(34);
    for _ in 0..count(1000) {
        let products = [0; 32].map(|_| (samples.next() & 0xff, samples.next() & 0xff));
        let c = samples.next() as u32;
        let sum: i64 = products.iter().map(|&(a, b)| i64::from(a as u8 as i8) * b as i64).sum();
        let exact = sum + i64::from(c as i32);
        assert_eq!(integer(S8, U8, products.into_iter(), c, false), exact as u32);
        let clamped = exact.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        assert_eq!(integer(S8, U8, products.into_iter(), c, true), clamped as u32);
    }
}
