//! Division, reciprocal and square root with IEEE rounding. The `.approx` forms are no part of this module.

use super::Modifiers;
use crate::exact::{quotient, square_root};
use crate::format::Format;
use crate::round::{Exact, Unpacked, unpack};

/// `div.rn`, `.rz`, `.rm`, `.rp`: a / b.
///
/// ```
/// use warpsmith_numerics::{float::{div, Modifiers}, format::F32};
/// assert_eq!(div(F32, Modifiers::default(), 0x3f80_0000, 0x4040_0000), 0x3eaa_aaab); // 1 / 3
/// ```
#[inline]
pub fn div(format: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|bits| modifiers.operand(format, bits));
    match (unpack(format, a), unpack(format, b)) {
        (Unpacked::Finite(dividend), Unpacked::Finite(divisor)) => {
            let negative = dividend.negative != divisor.negative;
            match (dividend.is_zero(), divisor.is_zero()) {
                (true, true) => modifiers.not_a_number(format, [a, b]),
                (false, true) => modifiers.infinite(format, negative),
                (true, false) => modifiers.finish(format, Exact::zero(negative)),
                (false, false) => modifiers.finish(format, quotient(dividend, divisor, format.mantissa_bits)),
            }
        }
        (Unpacked::Infinite { negative }, Unpacked::Finite(divisor)) => {
            modifiers.infinite(format, negative != divisor.negative)
        }
        (Unpacked::Finite(dividend), Unpacked::Infinite { negative }) => {
            modifiers.finish(format, Exact::zero(negative != dividend.negative))
        }
        (Unpacked::Nan, _) | (_, Unpacked::Nan) | (Unpacked::Infinite { .. }, Unpacked::Infinite { .. }) => {
            modifiers.not_a_number(format, [a, b])
        }
    }
}

/// `rcp.rn`, `.rz`, `.rm`, `.rp`: 1 / a.
#[inline]
pub fn rcp(format: Format, modifiers: Modifiers, a: u64) -> u64 {
    div(format, modifiers, format.one(), a)
}

/// `sqrt.rn`, `.rz`, `.rm`, `.rp`: the square root; −0 is its own root.
///
/// ```
/// use warpsmith_numerics::{float::{sqrt, Modifiers}, format::F32};
/// assert_eq!(sqrt(F32, Modifiers::default(), 0x4000_0000), 0x3fb5_04f3);
/// ```
#[inline]
pub fn sqrt(format: Format, modifiers: Modifiers, a: u64) -> u64 {
    let a = modifiers.operand(format, a);
    match unpack(format, a) {
        Unpacked::Finite(value) if value.is_zero() => modifiers.finish(format, value),
        Unpacked::Finite(value) if !value.negative => modifiers.finish(format, square_root(value)),
        Unpacked::Infinite { negative: false } => modifiers.infinite(format, false),
        Unpacked::Nan | Unpacked::Finite(_) | Unpacked::Infinite { negative: true } => {
            modifiers.not_a_number(format, [a])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Modifiers;
    use super::{div, rcp, sqrt};
    use crate::format::{F32, F64};
    use crate::round::Rounding;

    const PLAIN: Modifiers = Modifiers {
        rounding: Rounding::NearestEven,
        ftz: false,
        clamp: super::super::Clamp::None,
        oob: false,
    };

    #[test]
    fn quotients_with_zero_and_infinity() {
        let (zero, one, infinity) = (0, 0x3f80_0000, 0x7f80_0000);
        assert_eq!(div(F32, PLAIN, zero, zero), 0x7fff_ffff);
        assert_eq!(div(F32, PLAIN, infinity, infinity), 0x7fff_ffff);
        assert_eq!(div(F32, PLAIN, one, 0x8000_0000), 0xff80_0000);
        assert_eq!(div(F32, PLAIN, infinity, 0x8000_0000), 0xff80_0000);
        assert_eq!(div(F32, PLAIN, 0xbf80_0000, infinity), 0x8000_0000);
        assert_eq!(rcp(F32, PLAIN, 0xff80_0000), 0x8000_0000);
    }

    #[test]
    fn flushed_operands_divide_as_zeros() {
        let ftz = Modifiers { ftz: true, ..PLAIN };
        assert_eq!(rcp(F32, ftz, 0x8000_0001), 0xff80_0000);
        assert_eq!(rcp(F32, ftz, 0x7f00_0001), 0, "a subnormal quotient");
        assert_eq!(rcp(F32, PLAIN, 0x7f00_0001), 0x0040_0000);
        assert_eq!(sqrt(F32, ftz, 0x8000_0001), 0x8000_0000);
    }

    #[test]
    fn roots_of_negative_values() {
        assert_eq!(sqrt(F32, PLAIN, 0xbf80_0000), 0x7fff_ffff);
        assert_eq!(sqrt(F32, PLAIN, 0x8000_0000), 0x8000_0000);
        assert_eq!(sqrt(F64, PLAIN, 0xbff0_0000_0000_0000), 0xfff8_0000_0000_0000);
        assert_eq!(sqrt(F64, PLAIN, 0xfff0_0000_0000_0001), 0xfff8_0000_0000_0001);
    }

    #[test]
    fn double_division_hands_on_the_first_nan() {
        let (a, b) = (0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0002);
        assert_eq!(div(F64, PLAIN, a, b), 0x7ff8_0000_0000_0001);
        assert_eq!(div(F64, PLAIN, 0x3ff0_0000_0000_0000, b), b);
        assert_eq!(div(F64, PLAIN, 0, 0), 0xfff8_0000_0000_0000);
    }
}
