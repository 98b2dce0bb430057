//! Minimum and maximum of two and three values.

use super::nan_of;
use crate::format::Format;

/// The modifiers of `min` and `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MinMax {
    /// `.ftz`: subnormal operands become zeros of their sign.
    pub ftz: bool,
    /// `.NaN`: the result is NaN if any operand is.
    pub nan: bool,
    /// `.abs`: operands are compared and given by their magnitude.
    pub abs: bool,
    /// `.xorsign`: the result has the exclusive or of the operands' signs, NaN or not; goes with `.abs` and two operands.
    pub xorsign: bool,
}

/// `min` of two values.
///
/// −0 counts as less than +0. An operand that is a NaN loses against one that is not, unless `.NaN` is given. Where the result is a NaN it is
/// the canonical one, and for f64 the first NaN operand, quieted (the sequence that ptxas emits for `min.f64` says so).
///
/// ```
/// use warpsmith_numerics::{float::{min, MinMax}, format::F32};
/// let xorsign = MinMax { abs: true, xorsign: true, ..MinMax::default() };
/// assert_eq!(min(F32, MinMax::default(), 0x3f80_0000, 0xc000_0000), 0xc000_0000); // 1, -2
/// assert_eq!(min(F32, xorsign, 0x3f80_0000, 0xc000_0000), 0xbf80_0000); // -1
/// ```
#[inline]
pub fn min(format: Format, modifiers: MinMax, a: u64, b: u64) -> u64 {
    select(format, modifiers, [a, b], |candidate, best| candidate < best)
}

/// `max` of two values, with the rules of [`min`].
#[inline]
pub fn max(format: Format, modifiers: MinMax, a: u64, b: u64) -> u64 {
    select(format, modifiers, [a, b], |candidate, best| candidate > best)
}

/// `min` of three values, with the rules of [`min`].
#[inline]
pub fn min3(format: Format, modifiers: MinMax, a: u64, b: u64, c: u64) -> u64 {
    select(format, modifiers, [a, b, c], |candidate, best| candidate < best)
}

/// `max` of three values, with the rules of [`min`].
#[inline]
pub fn max3(format: Format, modifiers: MinMax, a: u64, b: u64, c: u64) -> u64 {
    select(format, modifiers, [a, b, c], |candidate, best| candidate > best)
}

/// The operand whose place in the order is `better` than that of all others.
#[inline]
fn select<const N: usize>(
    format: Format,
    modifiers: MinMax,
    operands: [u64; N],
    better: impl Fn(i64, i64) -> bool,
) -> u64 {
    let sign_bit = format.sign_bit();
    let values = operands.map(|bits| {
        let bits = bits & format.mask();
        let bits = if modifiers.ftz { format.flush(bits) } else { bits };
        if modifiers.abs { bits & !sign_bit } else { bits }
    });
    let mut best = None;
    for value in values {
        match best {
            _ if format.is_nan(value) => {}
            Some(best) if !better(place(format, value), place(format, best)) => {}
            None | Some(_) => best = Some(value),
        }
    }
    match best {
        Some(value) if !modifiers.nan || !values.iter().any(|&value| format.is_nan(value)) => {
            let sign = if modifiers.xorsign {
                operands.iter().fold(0, |sign, bits| sign ^ (bits & sign_bit))
            } else {
                0
            };
            value | sign
        }
        None | Some(_) => nan_of(format, values),
    }
}

/// Where a value other than NaN stands in the order with −0 before +0.
#[inline]
fn place(format: Format, bits: u64) -> i64 {
    let magnitude = (bits & format.magnitude_mask()) as i64;
    if format.is_negative(bits) {
        -1 - magnitude
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::{MinMax, max, max3, min, min3};
    use crate::format::{BF16, F16, F32, F64};

    const PLAIN: MinMax = MinMax {
        ftz: false,
        nan: false,
        abs: false,
        xorsign: false,
    };
    const NAN: MinMax = MinMax { nan: true, ..PLAIN };
    const XORSIGN: MinMax = MinMax {
        abs: true,
        xorsign: true,
        ..PLAIN
    };

    #[test]
    fn zeros_are_ordered_by_sign() {
        let (plus, minus) = (0, 0x8000_0000);
        assert_eq!([min(F32, PLAIN, plus, minus), min(F32, PLAIN, minus, plus)], [minus; 2]);
        assert_eq!([max(F32, PLAIN, plus, minus), max(F32, PLAIN, minus, plus)], [plus; 2]);
    }

    #[test]
    fn nan_loses_or_wins() {
        let (one, nan) = (0x3f80_0000, 0xffc0_0123);
        assert_eq!([min(F32, PLAIN, one, nan), max(F32, PLAIN, nan, one)], [one; 2]);
        assert_eq!([min(F32, NAN, one, nan), max(F32, NAN, nan, one)], [0x7fff_ffff; 2]);
        assert_eq!(min(F32, PLAIN, nan, nan), 0x7fff_ffff);
        assert_eq!(max(F16, PLAIN, 0x7c01, 0xfe00), 0x7fff);
        assert_eq!(
            min(F64, PLAIN, 0xfff0_0000_0000_0001, 0x7ff8_0000_0000_0000),
            0xfff8_0000_0000_0001
        );
    }

    #[test]
    fn xorsign_takes_both_signs() {
        assert_eq!(max(BF16, XORSIGN, 0xbf80, 0xc000), 0x4000);
        assert_eq!(max(BF16, XORSIGN, 0x3f80, 0xc000), 0xc000);
        assert_eq!(min(BF16, XORSIGN, 0xff81, 0x3f80), 0xbf80, "the sign of a NaN counts");
        assert_eq!(min(BF16, XORSIGN, 0xff81, 0x7f81), 0x7fff);
    }

    #[test]
    fn three_operands() {
        let (one, two, minus_three, nan) = (0x3f80_0000, 0x4000_0000, 0xc040_0000, 0x7fc0_0000);
        assert_eq!(min3(F32, PLAIN, one, minus_three, two), minus_three);
        assert_eq!(
            max3(F32, MinMax { abs: true, ..PLAIN }, one, minus_three, two),
            0x4040_0000
        );
        assert_eq!(max3(F32, PLAIN, nan, one, nan), one);
        assert_eq!(max3(F32, NAN, two, one, nan), 0x7fff_ffff);
    }

    #[test]
    fn flushing() {
        let ftz = MinMax { ftz: true, ..PLAIN };
        assert_eq!(min(F32, ftz, 0x8000_0001, 0x3f80_0000), 0x8000_0000);
        assert_eq!(min(F32, PLAIN, 0x8000_0001, 0x3f80_0000), 0x8000_0001);
    }
}
