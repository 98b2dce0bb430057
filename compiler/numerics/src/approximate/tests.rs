//! Against the functions computed to 80 bits with integers: the documented bounds; and against the public bit-accurate model: equality.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    Function, cosine, divide, divide_full, exponential, exponential_bf16, exponential_f16, logarithm, reciprocal,
    reciprocal_square_root, reciprocal_square_root_upper, reciprocal_upper, refined_reciprocal_square_root, sine,
    square_root, tangent, tangent_bf16, tangent_f16,
};
use crate::format::{BF16, F16, F32, F64, Format};
use crate::integer::samples::{Samples, count};

/// Fraction bits of the fixed-point numbers.
const P: u32 = 80;

fn one() -> BigInt {
    BigInt::one() << P
}

fn shift(value: BigInt, by: i64) -> BigInt {
    if by >= 0 { value << by } else { value >> -by }
}

fn times(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> P
}

fn over(a: &BigInt, b: &BigInt) -> BigInt {
    (a << P) / b
}

/// The integer significand and its exponent of a finite encoding.
fn parts(format: Format, bits: u64) -> (BigInt, i64) {
    let code = bits & format.magnitude_mask();
    let field = code >> format.mantissa_bits;
    let fraction = code & ((1 << format.mantissa_bits) - 1);
    let significand = if field == 0 {
        fraction
    } else {
        fraction | 1 << format.mantissa_bits
    };
    let exponent = field.max(1) as i64 - i64::from(format.bias) - i64::from(format.mantissa_bits);
    let sign = if format.is_negative(bits) { -1 } else { 1 };
    (BigInt::from(significand) * sign, exponent)
}

fn fixed(format: Format, bits: u64) -> BigInt {
    let (significand, exponent) = parts(format, bits);
    shift(significand, exponent + i64::from(P))
}

/// The sum of terms that `next` makes from the term before, until they vanish.
fn series(first: BigInt, next: impl Fn(&BigInt, u32) -> BigInt) -> BigInt {
    let (mut sum, mut term) = (BigInt::zero(), first);
    for index in 1.. {
        if term.is_zero() || term == BigInt::from(-1) {
            break;
        }
        sum += &term;
        term = next(&term, index);
    }
    sum
}

/// The inverse hyperbolic tangent of a number near 0.
fn atanh(x: &BigInt) -> BigInt {
    let square = times(x, x);
    let mut power = x.clone();
    let mut sum = BigInt::zero();
    let mut divisor = 1;
    while !power.is_zero() && power != BigInt::from(-1) {
        sum += &power / divisor;
        power = times(&power, &square);
        divisor += 2;
    }
    sum
}

fn ln2() -> BigInt {
    atanh(&(one() / 3)) * 2
}

/// The binary logarithm of significand · 2^exponent.
fn log2(significand: &BigInt, exponent: i64) -> BigInt {
    let bits = significand.bits() as i64;
    let mantissa = shift(significand.clone(), i64::from(P) - (bits - 1));
    let natural = atanh(&over(&(&mantissa - one()), &(&mantissa + one()))) * 2;
    over(&natural, &ln2()) + one() * (exponent + bits - 1)
}

/// e to the power of a number between -1 and 1.
fn exp(x: &BigInt) -> BigInt {
    series(one(), |term, index| times(term, x) / index)
}

/// 2 to the power of the fraction, and the integer part.
fn exp2(x: &BigInt) -> (BigInt, i64) {
    let integer = x >> P;
    let fraction = x - (&integer << P);
    (exp(&times(&fraction, &ln2())), integer.to_i64().expect("small"))
}

fn sin(x: &BigInt) -> BigInt {
    let square = times(x, x);
    series(x.clone(), |term, index| {
        -times(term, &square) / (2 * index * (2 * index + 1))
    })
}

fn cos(x: &BigInt) -> BigInt {
    let square = times(x, x);
    series(one(), |term, index| {
        -times(term, &square) / (2 * index * (2 * index - 1))
    })
}

/// The hyperbolic tangent of a number of at most 10.
fn tanh(x: &BigInt) -> BigInt {
    // e^2x by squaring e^(x/16) five times.
    let squared = (0..5).fold(exp(&(x / 16)), |power, _| times(&power, &power));
    over(&(&squared - one()), &(squared + one()))
}

/// Whether |error| ≤ 2^(hundredths/100) · |reference|, all of the same scale.
fn within(error: &BigInt, reference: &BigInt, hundredths: i64) -> bool {
    // 2^(h/100) in fixed point.
    let (fraction, integer) = exp2(&(one() * hundredths / 100));
    error.abs() <= shift(times(&reference.abs(), &fraction), integer)
}

fn check(name: &str, x: u64, error: BigInt, reference: &BigInt, hundredths: i64) {
    assert!(within(&error, reference, hundredths), "{name} {x:#x}");
}

/// Random finite positive operands between two encodings, and the ends.
fn operands(seed: u64, from: u32, to: u32) -> impl Iterator<Item = u32> {
    let mut samples = Samples::new(seed);
    let random = (0..count(600)).map(move |_| from + (samples.next() % u64::from(to - from + 1)) as u32);
    [from, to].into_iter().chain(random)
}

const NORMAL: u32 = 0x0080_0000;
const LARGEST: u32 = 0x7f7f_ffff;

#[test]
fn reciprocals_are_within_one_place() {
    for x in operands(41, 0x0020_0001, LARGEST) {
        let result = u64::from(reciprocal(x, false));
        let ((divisor, down), (quotient, up)) = (parts(F32, x.into()), parts(F32, result));
        // |q·2^u · d·2^n - 1| ≤ d·2^n · 2^u
        let product = quotient * &divisor;
        let error = product - (BigInt::one() << -(up + down));
        assert!(error.abs() <= divisor, "{x:#x} {result:#x}");
    }
}

#[test]
fn roots() {
    for x in operands(42, 1, LARGEST) {
        let (significand, exponent) = parts(F32, x.into());
        let (root, power) = parts(F32, square_root(x, false).into());
        // r² against x: twice the relative error of r.
        let scaled = |value: BigInt, by: i64| shift(value, by + 400);
        let value = scaled(significand.clone(), exponent);
        check(
            "sqrt",
            x.into(),
            scaled(&root * &root, 2 * power) - &value,
            &value,
            -2200,
        );
        let (inverse, power) = parts(F32, reciprocal_square_root(x, false).into());
        let product = scaled(&inverse * &inverse * &significand, 2 * power + exponent);
        let unit = scaled(BigInt::one(), 0);
        check("rsqrt", x.into(), product - &unit, &unit, -2190);
    }
}

#[test]
fn logarithms() {
    let near = operands(43, 0x3f00_0000, 0x4000_0000);
    for x in operands(44, 1, LARGEST).chain(near) {
        let (significand, exponent) = parts(F32, x.into());
        let exact = log2(&significand, exponent);
        let error = fixed(F32, logarithm(x, false).into()) - &exact;
        let reference = if (0x3f00_0000..=0x4000_0000).contains(&x) {
            one()
        } else {
            exact
        };
        check("lg2", x.into(), error, &reference, -2200);
    }
}

#[test]
fn exponentials() {
    for magnitude in operands(45, 0x3000_0000, 0x42ff_ffff) {
        for x in [magnitude, magnitude | 1 << 31] {
            let (exact, integer) = exp2(&fixed(F32, x.into()));
            let (significand, exponent) = parts(F32, exponential(x, false).into());
            let result = shift(significand, exponent - integer + i64::from(P));
            // Subnormal results have half a place more.
            let place = shift(one(), -149 - integer);
            let error = (result - &exact).abs() - if integer < -126 { place } else { BigInt::zero() };
            check("ex2", x.into(), error.max(BigInt::zero()), &exact, -2200);
        }
    }
}

#[test]
fn sines_and_cosines() {
    // Up to 2π, where the absolute error is documented.
    for magnitude in operands(46, 0x3000_0000, 0x40c9_0fdb) {
        for x in [magnitude, magnitude | 1 << 31] {
            let angle = fixed(F32, x.into());
            let error = fixed(F32, sine(x).into()) - sin(&angle);
            check("sin", x.into(), error, &one(), -2050);
            let error = fixed(F32, cosine(x).into()) - cos(&angle);
            check("cos", x.into(), error, &one(), -2043);
        }
    }
}

#[test]
fn tangents() {
    for x in operands(47, 0x3000_0000, 0x4120_0000) {
        let exact = tanh(&fixed(F32, x.into()));
        check("tanh", x.into(), fixed(F32, tangent(x).into()) - &exact, &exact, -1900);
    }
}

#[test]
fn halves_exhaustively_within_their_bounds() {
    let step = if count(1) > 1 { 1 } else { 23 };
    for x in (0..0xffff_u16).step_by(step) {
        let bits = u64::from(x);
        let small = |format: Format| format.bias as u64 + 3 >= (bits & format.magnitude_mask()) >> format.mantissa_bits;
        if small(F16) {
            let value = fixed(F16, bits);
            let error = fixed(F16, tangent_f16(x).into()) - tanh(&value);
            check("tanh.f16", bits, error, &one(), -1099);
            let (exact, integer) = exp2(&value);
            // 2^-9.9, and half a place of a subnormal result.
            let result = shift(fixed(F16, exponential_f16(x).into()), -integer);
            let error = (result - &exact).abs() - shift(one(), -25 - integer);
            check("ex2.f16", bits, error.max(BigInt::zero()), &exact, -990);
        }
        if small(BF16) {
            let value = fixed(BF16, bits);
            let error = fixed(BF16, tangent_bf16(x).into()) - tanh(&value);
            check("tanh.bf16", bits, error, &one(), -800);
            let (exact, integer) = exp2(&value);
            let result = shift(fixed(BF16, exponential_bf16(x).into()), -integer);
            check("ex2.bf16", bits, result - &exact, &exact, -700);
        }
    }
}

#[test]
fn quotients_are_within_two_places() {
    let mut samples = Samples::new(48);
    for _ in 0..count(1500) {
        let mut operand = || NORMAL + (samples.next() % u64::from(LARGEST - NORMAL)) as u32;
        let (a, b) = (operand(), operand());
        let full = u64::from(divide_full(a, b, false));
        let ((x, m), (y, n)) = (parts(F32, a.into()), parts(F32, b.into()));
        let exact = (x << (P + 40)) / y;
        let leading = exact.bits() as i64 - 1 + m - n - i64::from(P + 40);
        if (-126..127).contains(&leading) {
            let (quotient, up) = parts(F32, full);
            let error = shift(quotient, up - m + n + i64::from(P + 40)) - exact;
            assert!(error.abs() <= shift(BigInt::one(), leading - 22 - m + n + i64::from(P + 40)));
        }
        if b <= 0x7e80_0000 {
            assert_eq!(u64::from(divide(a, b, false)), full);
        } else {
            assert_eq!(divide(a, b, false), 0);
        }
    }
    assert_eq!(divide(0x7f80_0000, 0x7f00_0000, false), 0x7fff_ffff);
}

#[test]
fn upper_halves_of_doubles() {
    let mut samples = Samples::new(49);
    for _ in 0..count(1500) {
        // Normal operands with normal reciprocals.
        let upper = 0x0010_0000 + (samples.next() % 0x7fb0_0000) as u32;
        let (x, m) = parts(F64, u64::from(upper) << 32);
        let (inverse, n) = parts(F64, u64::from(reciprocal_upper(upper)) << 32);
        let unit = BigInt::one() << 200;
        check(
            "rcp64h",
            upper.into(),
            shift(&inverse * &x, m + n + 200) - &unit,
            &unit,
            -2000,
        );
        let (root, n) = parts(F64, u64::from(reciprocal_square_root_upper(upper)) << 32);
        let square = shift(&root * &root * &x, m + 2 * n + 200);
        check("rsq64h", upper.into(), square - &unit, &unit, -1900);
    }
}

#[test]
fn refined_reciprocal_square_roots() {
    let mut samples = Samples::new(51);
    for subnormal in [false, true] {
        for _ in 0..count(1000) {
            let bits = if subnormal {
                samples.next() >> 12
            } else {
                samples.next() % 0x7ff0_0000_0000_0000
            };
            let (x, m) = parts(F64, bits);
            let (root, n) = parts(F64, refined_reciprocal_square_root(bits));
            let unit = BigInt::one() << 200;
            let square = shift(&root * &root * &x, m + 2 * n + 200);
            // Twice the relative error of the root, which is below 2^-52.
            check("rsqrt.f64", bits, square - &unit, &unit, -5100);
        }
    }
    let at = |upper: u64| refined_reciprocal_square_root(upper << 32) >> 32;
    assert_eq!([0, 0x8000_0000, 0x7ff0_0000].map(at), [0x7ff0_0000, 0xfff0_0000, 0]);
}

/// A hash of the results for 65,536 operands spread over all encodings.
fn fingerprint(function: impl Fn(u32) -> u32) -> u64 {
    (0..=0xffff_u32).fold(0xcbf2_9ce4_8422_2325, |hash: u64, index| {
        let operand = index.wrapping_mul(0x1_0001) ^ (index >> 3);
        (hash ^ u64::from(function(operand))).wrapping_mul(0x100_0000_01b3)
    })
}

/// Reciprocal, its square root, sine, cosine, logarithm, exponential and the two on doubles.
const HASHES: [u64; 8] = [
    0x3f15_c580_9f9a_f280,
    0x5b9d_5436_205a_e773,
    0x9a2d_41c3_90d1_7f87,
    0x09b5_7a6b_f0f3_01ee,
    0x7f77_1d7d_5878_848a,
    0xce38_cb37_28d0_74e0,
    0x7531_feeb_81a7_78e4,
    0x0e5d_6c28_734a_e37c,
];

#[test]
fn the_public_model_gives_the_same_bits() {
    // The hashes are of the model's results for the same operands. All 2^32 operands were compared once; this keeps it so.
    assert_eq!(fingerprint(|x| reciprocal(x, false)), HASHES[0]);
    assert_eq!(fingerprint(|x| reciprocal_square_root(x, false)), HASHES[1]);
    assert_eq!(fingerprint(sine), HASHES[2]);
    assert_eq!(fingerprint(cosine), HASHES[3]);
    assert_eq!(fingerprint(|x| logarithm(x, false)), HASHES[4]);
    assert_eq!(fingerprint(|x| exponential(x, false)), HASHES[5]);
    assert_eq!(fingerprint(reciprocal_upper), HASHES[6]);
    assert_eq!(fingerprint(reciprocal_square_root_upper), HASHES[7]);
}

#[test]
fn flushing_forms_are_the_machine_functions() {
    for x in operands(50, 0, u32::MAX - 1) {
        assert_eq!(reciprocal(x, true), Function::Reciprocal.evaluate(x));
        assert_eq!(square_root(x, true), Function::SquareRoot.evaluate(x));
        assert_eq!(logarithm(x, true), Function::Logarithm.evaluate(x));
        assert_eq!(exponential(x, true), Function::Exponential.evaluate(x));
    }
    assert_eq!(reciprocal_square_root(0x8000_0001, true), 0xff80_0000);
    assert_eq!(reciprocal_square_root(0x8000_0001, false), 0x7fff_ffff);
}
