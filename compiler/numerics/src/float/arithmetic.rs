//! Sums, products and fused multiply-add.

use super::Modifiers;
use crate::exact::{product, sum};
use crate::format::{F32, Format};
use crate::round::{Exact, Unpacked, unpack};

/// The NaN of f16 and bf16 that a tensor copy writes for elements out of bounds, where it fills with NaN. The manual gives it a name but no
/// value; this is what public test suites use.
pub const OOB_NAN: u64 = 0x7ff7;

/// `add`: a + b.
///
/// ```
/// use warpsmith_numerics::{float::{add, Modifiers}, format::F16};
/// assert_eq!(add(F16, Modifiers::default(), 0x3c00, 0x4000), 0x4200); // 1 + 2 = 3
/// ```
#[inline]
pub fn add(format: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|bits| modifiers.operand(format, bits));
    add_unpacked(format, modifiers, (unpack(format, a), a), (unpack(format, b), b))
}

/// `sub`: a − b.
#[inline]
pub fn sub(format: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    // The NaN of f64 is handed on with the sign it came with.
    add(format, modifiers, a, negated(format, b))
}

/// `mul`: a · b.
#[inline]
pub fn mul(format: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|bits| modifiers.operand(format, bits));
    match multiplied(unpack(format, a), unpack(format, b)) {
        Unpacked::Nan => modifiers.not_a_number(format, [a, b]),
        Unpacked::Infinite { negative } => modifiers.infinite(format, negative),
        Unpacked::Finite(value) => modifiers.finish(format, value),
    }
}

/// `fma`: a · b + c, rounded once.
///
/// ```
/// use warpsmith_numerics::{float::{fma, Modifiers}, format::F16};
/// // (1 + 2^-10)(1 - 2^-11) - 1, of which a rounded product would leave nothing.
/// assert_eq!(fma(F16, Modifiers::default(), 0x3c01, 0x3bff, 0xbc00), 0x0ffe);
/// ```
#[inline]
pub fn fma(format: Format, modifiers: Modifiers, a: u64, b: u64, c: u64) -> u64 {
    if modifiers.oob && [a, b].map(|bits| bits & format.mask()).contains(&OOB_NAN) {
        return 0;
    }
    let [a, b, c] = [a, b, c].map(|bits| modifiers.operand(format, bits));
    match multiplied(unpack(format, a), unpack(format, b)) {
        Unpacked::Nan => modifiers.not_a_number(format, [a, b, c]),
        term => add_unpacked(format, modifiers, (term, a), (unpack(format, c), c)),
    }
}

/// `mad` on f32 and f64: the same as [`fma`].
#[inline]
pub fn mad(format: Format, modifiers: Modifiers, a: u64, b: u64, c: u64) -> u64 {
    fma(format, modifiers, a, b, c)
}

/// `add.f32.f16`, `add.f32.bf16`: a + b with `a` in the narrow format, `b` and the result f32. There is no `.ftz`.
#[inline]
pub fn add_mixed(narrow: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    add_unpacked(F32, modifiers, (unpack(narrow, a), a), (unpack(F32, b), b))
}

/// `sub.f32.f16`, `sub.f32.bf16`: a − b with `a` in the narrow format, `b` and the result f32.
#[inline]
pub fn sub_mixed(narrow: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    add_mixed(narrow, modifiers, a, negated(F32, b))
}

/// `fma.f32.f16`, `fma.f32.bf16`: a · b + c with `a` and `b` in the narrow format, `c` and the result f32.
#[inline]
pub fn fma_mixed(narrow: Format, modifiers: Modifiers, a: u64, b: u64, c: u64) -> u64 {
    let term = multiplied(unpack(narrow, a), unpack(narrow, b));
    add_unpacked(F32, modifiers, (term, a), (unpack(F32, c), c))
}

/// The negated value; a NaN stays what it is.
#[inline]
fn negated(format: Format, bits: u64) -> u64 {
    if format.is_nan(bits) {
        bits
    } else {
        bits ^ format.sign_bit()
    }
}

/// The exact product.
#[inline]
fn multiplied(a: Unpacked, b: Unpacked) -> Unpacked {
    match (a, b) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => Unpacked::Nan,
        (Unpacked::Finite(a), Unpacked::Finite(b)) => Unpacked::Finite(product(a, b)),
        (Unpacked::Infinite { negative: a }, Unpacked::Infinite { negative: b }) => {
            Unpacked::Infinite { negative: a != b }
        }
        (Unpacked::Infinite { negative }, Unpacked::Finite(finite))
        | (Unpacked::Finite(finite), Unpacked::Infinite { negative }) => infinite_multiple(negative, finite),
    }
}

/// An infinity times a finite value.
#[inline]
fn infinite_multiple(negative: bool, finite: Exact) -> Unpacked {
    if finite.is_zero() {
        Unpacked::Nan
    } else {
        Unpacked::Infinite {
            negative: negative != finite.negative,
        }
    }
}

/// The sum of two terms, each with the bits it came from.
#[inline]
fn add_unpacked(
    format: Format,
    modifiers: Modifiers,
    (a, a_bits): (Unpacked, u64),
    (b, b_bits): (Unpacked, u64),
) -> u64 {
    match (a, b) {
        (Unpacked::Finite(a), Unpacked::Finite(b)) => modifiers.finish(format, sum(a, b, modifiers.rounding)),
        (Unpacked::Infinite { negative: a }, Unpacked::Infinite { negative: b }) if a == b => {
            modifiers.infinite(format, a)
        }
        (Unpacked::Nan, _) | (_, Unpacked::Nan) | (Unpacked::Infinite { .. }, Unpacked::Infinite { .. }) => {
            modifiers.not_a_number(format, [a_bits, b_bits])
        }
        (Unpacked::Infinite { negative }, Unpacked::Finite(_))
        | (Unpacked::Finite(_), Unpacked::Infinite { negative }) => modifiers.infinite(format, negative),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Clamp, Modifiers};
    use super::{OOB_NAN, add, add_mixed, fma, fma_mixed, mul, sub, sub_mixed};
    use crate::format::{BF16, F16, F32, F64};
    use crate::round::Rounding;

    const PLAIN: Modifiers = Modifiers {
        rounding: Rounding::NearestEven,
        ftz: false,
        clamp: Clamp::None,
        oob: false,
    };
    const FTZ: Modifiers = Modifiers { ftz: true, ..PLAIN };

    #[test]
    fn canonical_nans() {
        assert_eq!(add(F32, PLAIN, 0x7f80_0000, 0xff80_0000), 0x7fff_ffff);
        assert_eq!(add(F32, PLAIN, 0xffc0_0123, 0), 0x7fff_ffff);
        assert_eq!(mul(F16, PLAIN, 0x7c00, 0), 0x7fff);
        assert_eq!(mul(BF16, PLAIN, 0xffc1, 0x3f80), 0x7fff);
    }

    #[test]
    fn double_nans_keep_payload() {
        let (one, signalling, quiet) = (0x3ff0_0000_0000_0000, 0x7ff0_0000_0000_0123, 0xfff8_0000_0000_0456);
        let quieted = 0x7ff8_0000_0000_0123;
        assert_eq!(add(F64, PLAIN, one, signalling), quieted);
        assert_eq!(sub(F64, PLAIN, one, signalling), quieted);
        assert_eq!(mul(F64, PLAIN, quiet, signalling), quiet);
        assert_eq!(fma(F64, PLAIN, one, one, quiet), quiet);
        let infinity = 0x7ff0_0000_0000_0000;
        assert_eq!(sub(F64, PLAIN, infinity, infinity), 0xfff8_0000_0000_0000);
        assert_eq!(fma(F64, PLAIN, infinity, 0, one), 0xfff8_0000_0000_0000);
        assert_eq!(fma(F64, PLAIN, infinity, 0, signalling), quieted);
    }

    #[test]
    fn flushing_of_operands_and_results() {
        assert_eq!(add(F32, FTZ, 0x8000_0001, 0x8000_0001), 0x8000_0000);
        assert_eq!(mul(F32, FTZ, 0x0080_0000, 0xbf00_0000), 0x8000_0000);
        // As the constant folder of ptxas has it.
        assert_eq!(mul(F32, FTZ, 0x00ff_ffff, 0x3f00_0000), 0);
        assert_eq!(mul(F32, PLAIN, 0x00ff_ffff, 0x3f00_0000), 0x0080_0000);
        assert_eq!(mul(F32, FTZ, 0x204a_6691, 0x1fa1_e58f), 0x0080_0000);
        assert_eq!(mul(F16, FTZ, 0x0400, 0x3bff), 0);
    }

    #[test]
    fn zero_signs() {
        let down = Modifiers::from(Rounding::TowardNegative);
        assert_eq!(sub(F32, PLAIN, 0x3f80_0000, 0x3f80_0000), 0);
        assert_eq!(sub(F32, down, 0x3f80_0000, 0x3f80_0000), 0x8000_0000);
        assert_eq!(fma(F32, PLAIN, 0x8000_0000, 0x3f80_0000, 0), 0);
        assert_eq!(fma(F32, PLAIN, 0x8000_0000, 0x3f80_0000, 0x8000_0000), 0x8000_0000);
    }

    #[test]
    fn overflow_follows_the_rounding() {
        let zero = Modifiers::from(Rounding::TowardZero);
        assert_eq!(add(F32, PLAIN, 0x7f7f_ffff, 0x7f7f_ffff), 0x7f80_0000);
        assert_eq!(add(F32, zero, 0x7f7f_ffff, 0x7f7f_ffff), 0x7f7f_ffff);
    }

    #[test]
    fn relu_and_saturation() {
        let relu = Modifiers {
            clamp: Clamp::Relu,
            ..PLAIN
        };
        assert_eq!(fma(F16, relu, 0x3c00, 0xbc00, 0), 0);
        assert_eq!(fma(F16, relu, 0x7e00, 0xbc00, 0), 0x7fff);
        let sat = Modifiers {
            clamp: Clamp::Saturate,
            ..PLAIN
        };
        assert_eq!(add(F32, sat, 0x7fc0_0000, 0), 0);
        assert_eq!(add(F32, sat, 0x7f80_0000, 0), 0x3f80_0000);
    }

    #[test]
    fn out_of_bounds_factors_give_zero() {
        let oob = Modifiers { oob: true, ..PLAIN };
        assert_eq!(fma(F16, oob, OOB_NAN, 0x3c00, 0x3c00), 0);
        assert_eq!(fma(BF16, oob, 0x3f80, OOB_NAN, 0x3f80), 0);
        assert_eq!(fma(F16, oob, 0x7fff, 0x3c00, 0x3c00), 0x7fff);
    }

    #[test]
    fn mixed_precision() {
        assert_eq!(
            add_mixed(F16, PLAIN, 0x0001, 0x3f80_0000),
            0x3f80_0000,
            "2^-24 is half an ulp of 1"
        );
        assert_eq!(add_mixed(F16, PLAIN, 0x0002, 0x3f80_0000), 0x3f80_0001);
        assert_eq!(sub_mixed(BF16, PLAIN, 0x3f80, 0x4000_0000), 0xbf80_0000);
        assert_eq!(fma_mixed(F16, PLAIN, 0x3c01, 0x3c01, 0xbf80_0000), 0x3b00_1000);
    }
}
