//! Operations on the sign alone.

use crate::format::{F32, F64, Format};

/// `abs`: the magnitude.
///
/// A NaN of f32 and f64 keeps its payload, quieted with `ftz`, and loses its sign; of f16 and bf16 it becomes the canonical NaN. The manual leaves NaN open; this
/// is what the constant folder of ptxas 13.0 gives. (For operands that are no constants ptxas emits an addition, whose NaN of f32 is the
/// canonical one.)
#[inline]
pub fn abs(format: Format, ftz: bool, a: u64) -> u64 {
    with_sign(format, ftz, a, |_| 0)
}

/// `neg`: the negated value, with the rules of [`abs`] for NaN, whose sign is inverted for f32 and f64.
///
/// ```
/// use warpsmith_numerics::{float::neg, format::{F16, F32}};
/// assert_eq!(neg(F32, false, 0x7fc0_0123), 0xffc0_0123);
/// assert_eq!(neg(F16, false, 0x7e01), 0x7fff);
/// ```
#[inline]
pub fn neg(format: Format, ftz: bool, a: u64) -> u64 {
    with_sign(format, ftz, a, |sign| sign ^ format.sign_bit())
}

/// `copysign`: the magnitude of `b` with the sign of `a`, NaN or not.
#[inline]
pub const fn copysign(format: Format, a: u64, b: u64) -> u64 {
    (a & format.sign_bit()) | (b & format.magnitude_mask())
}

#[inline]
fn with_sign(format: Format, ftz: bool, a: u64, sign: impl Fn(u64) -> u64) -> u64 {
    let keeps_payload = format == F32 || format == F64;
    if !keeps_payload && let Some(nan) = format.nan().filter(|_| format.is_nan(a)) {
        return nan;
    }
    let a = match ftz {
        true if format.is_nan(a) => a | 1 << (format.mantissa_bits - 1),
        true => format.flush(a),
        false => a,
    };
    (a & format.magnitude_mask()) | sign(a & format.sign_bit())
}

#[cfg(test)]
mod tests {
    use super::{abs, copysign, neg};
    use crate::format::{BF16, F16, F32, F64};

    #[test]
    fn signs() {
        assert_eq!([abs(F32, false, 0x8000_0001), neg(F32, false, 1)], [1, 0x8000_0001]);
        assert_eq!([abs(F32, true, 0x8000_0001), neg(F32, true, 1)], [0, 0x8000_0000]);
        assert_eq!(
            copysign(F64, 0x8000_0000_0000_0000, 0x3ff0_0000_0000_0000),
            0xbff0_0000_0000_0000
        );
    }

    #[test]
    fn nans() {
        assert_eq!(
            [abs(F32, false, 0xffc0_0456), neg(F32, true, 0x7fc0_0123)],
            [0x7fc0_0456, 0xffc0_0123]
        );
        assert_eq!(
            [neg(F32, false, 0x7f80_0001), neg(F32, true, 0x7f80_0001)],
            [0xff80_0001, 0xffc0_0001]
        );
        assert_eq!(neg(F64, false, 0x7ff0_0000_0000_0123), 0xfff0_0000_0000_0123);
        assert_eq!([abs(F16, false, 0xfe01), neg(BF16, false, 0xff81)], [0x7fff; 2]);
        assert_eq!(copysign(F32, 0xffc0_0456, 0x7f80_0123), 0xff80_0123);
    }
}
