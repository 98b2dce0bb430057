//! Conversions between floating-point formats, and to integers in the same format.

use super::Modifiers;
use crate::float::clamp;
use crate::format::{BF16, F32, F64, Format, TF32};
use crate::round::{Exact, Overflow, Rounding, Unpacked, is_tiny, round, round_to_integer, unpack};

/// `cvt` between floating-point formats; between the same format (without rounding to an integer) it only flushes and clamps.
///
/// What becomes of a NaN, by the constant folder of ptxas 13.0 unless said otherwise:
///
/// * f32 to f64 without `.ftz`, and f64 to f32: the sign and the upper bits of the payload stay, the quiet bit is set.
/// * bf16 to f32 without `.ftz`: the bits move to the upper half, also those of a signalling NaN, as in the shift that ptxas emits; its folder
///   has the canonical NaN, and the manual leaves it open.
/// * The same format: the bits stay; `.ftz` sets the quiet bit.
/// * Everything else: the canonical NaN, which in f64 is 0x7fffffffe0000000. A format without NaN gives its largest finite value (manual);
///   for 8-bit formats the manual names NaN without bits, all ones below a clear sign are an assumption.
///
/// A destination without a sign (ue8m0) takes the magnitude, which is then rounded: `.rp` rounds it up (the conversions for other targets in
/// CUDA's headers). An infinity without `.satfinite` is its NaN.
///
/// ```
/// use warpsmith_numerics::{convert::{float_to_float, Modifiers}, format::{E4M3, F16, F32}, round::Overflow};
/// assert_eq!(float_to_float(F32, F16, Modifiers::default(), 0x3f80_1000), 0x3c00);
/// let satfinite = Modifiers { overflow: Overflow::LargestFinite, ..Modifiers::default() };
/// assert_eq!(float_to_float(F32, E4M3, satfinite, 0xc4fa_0000), 0xfe); // -2000 becomes -448
/// ```
#[inline]
pub fn float_to_float(from: Format, to: Format, modifiers: Modifiers, a: u64) -> u64 {
    let a = source(from, modifiers, a);
    let bits = match unpack(from, a) {
        Unpacked::Nan if from == F32 && to == F32 && modifiers.ftz => a | 0x0040_0000,
        _ if from == to => a,
        Unpacked::Nan => converted_nan(from, to, modifiers.ftz, a),
        Unpacked::Infinite { negative } => infinite(to, modifiers.overflow, negative),
        Unpacked::Finite(value) => finish(
            to,
            modifiers,
            if to.signed {
                value
            } else {
                Exact {
                    negative: false,
                    ..value
                }
            },
        ),
    };
    clamp(to, modifiers.clamp, bits)
}

/// `cvt.rni`, `.rzi`, `.rmi`, `.rpi` from a format to the same: rounded to an integer. The sign stays, of zero results too.
///
/// A NaN becomes the canonical one; f64 keeps its sign and payload, quieted. Both are assumptions, the manual is silent.
///
/// ```
/// use warpsmith_numerics::{convert::{round_to_integral, Modifiers}, format::F32};
/// assert_eq!(round_to_integral(F32, Modifiers::default(), 0xbe80_0000), 0x8000_0000); // -0.25 becomes -0
/// ```
#[inline]
pub fn round_to_integral(format: Format, modifiers: Modifiers, a: u64) -> u64 {
    let a = source(format, modifiers, a);
    let bits = match unpack(format, a) {
        Unpacked::Nan => converted_nan(format, format, modifiers.ftz, a),
        Unpacked::Infinite { .. } => a,
        // From here on every value is an integer already; large ones would not fit the arithmetic below.
        Unpacked::Finite(value) if value.exponent >= 0 => a,
        Unpacked::Finite(value) => {
            let magnitude = round_to_integer(modifiers.rounding, value).unwrap_or(0);
            round(
                format,
                Rounding::TowardZero,
                Overflow::Infinity,
                Exact::integer(value.negative, magnitude),
            )
        }
    };
    clamp(format, modifiers.clamp, bits)
}

/// `cvt.rna.tf32.f32` and, with the other roundings, `cvt.rn.tf32.f32` and `cvt.rz.tf32.f32`.
///
/// With [`Rounding::NearestAway`] this is the integer sequence that ptxas emits for every target: half an ulp is added to a finite value, then
/// the padding cleared, so a NaN whose payload lies in the padding becomes infinity; `.satfinite` subtracts one ulp from what is not finite. The
/// other roundings give the canonical NaN with clear padding, as an assumption.
///
/// ```
/// use warpsmith_numerics::{convert::{to_tf32, Modifiers}, round::Rounding};
/// assert_eq!(to_tf32(Modifiers::from(Rounding::NearestAway), 0x3f80_1000), 0x3f80_2000);
/// assert_eq!(to_tf32(Modifiers::from(Rounding::NearestEven), 0x3f80_1000), 0x3f80_0000);
/// ```
#[inline]
pub fn to_tf32(modifiers: Modifiers, a: u64) -> u64 {
    if modifiers.rounding != Rounding::NearestAway {
        return float_to_float(F32, TF32, modifiers, a);
    }
    const ULP: u64 = 1 << TF32.padding;
    const INFINITY: u64 = 0x7f80_0000;
    let a = a & F32.mask();
    let finite = |bits: u64| bits & F32.magnitude_mask() < INFINITY;
    let rounded = (if finite(a) { a + ULP / 2 } else { a }) & !(ULP - 1);
    match modifiers.overflow {
        Overflow::LargestFinite if !finite(rounded) => rounded - ULP,
        Overflow::LargestFinite | Overflow::Infinity => rounded,
    }
}

/// The source with its unused bits cleared, flushed if that is asked for.
#[inline]
fn source(from: Format, modifiers: Modifiers, a: u64) -> u64 {
    let a = a & from.mask();
    if modifiers.ftz && from == F32 { from.flush(a) } else { a }
}

/// A finite result before clamping.
#[inline]
fn finish(to: Format, modifiers: Modifiers, value: Exact) -> u64 {
    if modifiers.ftz && to == F32 && is_tiny(to, modifiers.rounding, value) {
        return if value.negative { to.sign_bit() } else { 0 };
    }
    round(to, modifiers.rounding, modifiers.overflow, value)
}

/// What an infinity becomes before clamping.
#[inline]
fn infinite(to: Format, overflow: Overflow, negative: bool) -> u64 {
    let magnitude = match overflow {
        Overflow::LargestFinite => to.largest_finite(),
        Overflow::Infinity => to.infinity().or(to.nan()).unwrap_or(to.largest_finite()),
    };
    magnitude | if negative { to.sign_bit() } else { 0 }
}

/// What a NaN becomes before clamping.
#[inline]
fn converted_nan(from: Format, to: Format, ftz: bool, a: u64) -> u64 {
    const QUIET: u64 = 1 << 51;
    const SHIFT: u32 = F64.mantissa_bits - F32.mantissa_bits;
    let sign = if from.is_negative(a) { to.sign_bit() } else { 0 };
    if from == F32 && to == F64 && !ftz {
        sign | F64.infinity().unwrap_or(0) | ((a << SHIFT) & (QUIET - 1)) | QUIET
    } else if from == F64 && to == F32 {
        let payload = (a >> SHIFT) & 0x007f_ffff;
        sign | 0x7fc0_0000 | payload
    } else if from == F64 && to == F64 {
        a | QUIET
    } else if from == BF16 && to == F32 && !ftz {
        a << 16
    } else if to == F64 {
        // The canonical NaN of f32, widened.
        0x7fff_ffff_e000_0000
    } else {
        to.nan().unwrap_or(to.largest_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Modifiers;
    use super::{float_to_float, round_to_integral, to_tf32};
    use crate::float::Clamp;
    use crate::format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, UE8M0};
    use crate::round::{Overflow, Rounding};

    const PLAIN: Modifiers = Modifiers {
        rounding: Rounding::NearestEven,
        ftz: false,
        clamp: Clamp::None,
        overflow: Overflow::Infinity,
    };
    const SATFINITE: Modifiers = Modifiers {
        overflow: Overflow::LargestFinite,
        ..PLAIN
    };
    const FTZ: Modifiers = Modifiers { ftz: true, ..PLAIN };

    #[test]
    fn nans_between_single_and_double() {
        assert_eq!(float_to_float(F32, F64, PLAIN, 0x7f80_0123), 0x7ff8_0024_6000_0000);
        assert_eq!(float_to_float(F32, F64, PLAIN, 0xffc0_0456), 0xfff8_008a_c000_0000);
        assert_eq!(float_to_float(F32, F64, FTZ, 0xffc0_0456), 0x7fff_ffff_e000_0000);
        assert_eq!(float_to_float(F64, F32, PLAIN, 0x7ff8_1234_5678_9abc), 0x7fc0_91a2);
        assert_eq!(float_to_float(F64, F32, PLAIN, 0xfff0_0000_0000_0001), 0xffc0_0000);
    }

    #[test]
    fn nans_of_the_other_formats() {
        assert_eq!(
            [F16, BF16].map(|to| float_to_float(F32, to, PLAIN, 0xffc0_0456)),
            [0x7fff; 2]
        );
        assert_eq!(
            [F16, BF16].map(|to| float_to_float(F64, to, PLAIN, 0x7ff8_0000_0000_0001)),
            [0x7fff; 2]
        );
        assert_eq!(float_to_float(F16, F32, PLAIN, 0xfe01), 0x7fff_ffff);
        assert_eq!(
            [F16, BF16].map(|from| float_to_float(from, F64, PLAIN, 0xff81)),
            [0x7fff_ffff_e000_0000; 2]
        );
        assert_eq!(
            [PLAIN, FTZ].map(|ftz| float_to_float(BF16, F32, ftz, 0xff81)),
            [0xff81_0000, 0x7fff_ffff]
        );
        assert_eq!(
            [PLAIN, FTZ].map(|ftz| float_to_float(F32, F32, ftz, 0x7f80_0123)),
            [0x7f80_0123, 0x7fc0_0123]
        );
        let narrow = [E4M3, E5M2, E3M2, E2M3, E2M1, UE8M0].map(|to| float_to_float(F32, to, SATFINITE, 0xffc0_0000));
        assert_eq!(narrow, [0x7f, 0x7f, 0x1f, 0x1f, 0x7, 0xff]);
        assert_eq!(
            [E4M3, E5M2].map(|from| float_to_float(from, F16, PLAIN, 0xff)),
            [0x7fff; 2]
        );
        assert_eq!(float_to_float(UE8M0, BF16, PLAIN, 0xff), 0x7fff);
    }

    #[test]
    fn infinities() {
        assert_eq!(float_to_float(F32, F16, PLAIN, 0xff80_0000), 0xfc00);
        assert_eq!(float_to_float(F32, F16, SATFINITE, 0xff80_0000), 0xfbff);
        let narrow = [E4M3, E5M2, E3M2, E2M3, E2M1, UE8M0].map(|to| float_to_float(F32, to, SATFINITE, 0xff80_0000));
        assert_eq!(narrow, [0xfe, 0xfb, 0x3f, 0x3f, 0xf, 0xfe]);
        assert_eq!(float_to_float(F32, UE8M0, PLAIN, 0x7f80_0000), 0xff);
    }

    #[test]
    fn scales() {
        let at = |rounding, a| float_to_float(F32, UE8M0, Modifiers { rounding, ..SATFINITE }, a);
        let both = |a| [at(Rounding::TowardZero, a), at(Rounding::TowardPositive, a)];
        assert_eq!(both(0x4040_0000), [0x80, 0x81]);
        assert_eq!(both(0xc040_0000), [0x80, 0x81], "the sign is ignored");
        assert_eq!(both(0), [0, 0]);
        assert_eq!(both(0x0040_0001), [0, 1]);
        assert_eq!(both(0x7f00_0001), [0xfe, 0xfe]);
        let unsaturated = Modifiers::from(Rounding::TowardPositive);
        assert_eq!(float_to_float(F32, UE8M0, unsaturated, 0x7f00_0001), 0xff);
        assert_eq!(
            [0x00, 0x01, 0x7f, 0xfe].map(|a| float_to_float(UE8M0, BF16, PLAIN, a)),
            [0x0040, 0x0080, 0x3f80, 0x7f00]
        );
    }

    #[test]
    fn flushing_is_for_single_precision_alone() {
        assert_eq!(float_to_float(F32, F32, FTZ, 0x8000_0001), 0x8000_0000);
        assert_eq!(float_to_float(F64, F32, FTZ, 0x3800_0000_0000_0000 - (1 << 52)), 0);
        assert_eq!(
            float_to_float(F32, F16, FTZ, 0x3380_0000),
            0x0001,
            "a subnormal f16 stays"
        );
        assert_eq!(float_to_float(BF16, F32, FTZ, 0x8001), 0x8000_0000);
    }

    #[test]
    fn clamping() {
        let sat = Modifiers {
            clamp: Clamp::Saturate,
            ..PLAIN
        };
        assert_eq!(
            [0x7fc0_0000, 0x8000_0000, 0x4000_0000].map(|a| float_to_float(F32, F16, sat, a)),
            [0, 0, 0x3c00]
        );
        let relu = Modifiers {
            clamp: Clamp::Relu,
            ..SATFINITE
        };
        assert_eq!(
            [0xff80_0000, 0x7f80_0000].map(|a| float_to_float(F32, BF16, relu, a)),
            [0, 0x7f7f]
        );
        assert_eq!(float_to_float(F32, E2M1, relu, 0xffc0_0000), 0x7);
    }

    #[test]
    fn integers_in_place() {
        let at = |rounding, a| round_to_integral(F32, Modifiers::from(rounding), a);
        let minus_one_and_a_half = 0xbfc0_0000;
        assert_eq!(at(Rounding::NearestEven, minus_one_and_a_half), 0xc000_0000);
        assert_eq!(at(Rounding::TowardPositive, minus_one_and_a_half), 0xbf80_0000);
        assert_eq!(at(Rounding::TowardNegative, 0x8000_0001), 0xbf80_0000);
        assert_eq!(at(Rounding::TowardPositive, 0x8000_0001), 0x8000_0000);
        assert_eq!(at(Rounding::NearestEven, 0x7f7f_ffff), 0x7f7f_ffff);
        assert_eq!(at(Rounding::NearestEven, 0xff80_0001), 0x7fff_ffff);
        let flushed = Modifiers {
            rounding: Rounding::TowardNegative,
            ..FTZ
        };
        assert_eq!(round_to_integral(F32, flushed, 0x8000_0001), 0x8000_0000);
        assert_eq!(
            round_to_integral(F64, PLAIN, 0xfff0_0000_0000_0001),
            0xfff8_0000_0000_0001
        );
    }

    #[test]
    fn tf32_by_the_emitted_sequence() {
        let away = |overflow, a| {
            to_tf32(
                Modifiers {
                    rounding: Rounding::NearestAway,
                    overflow,
                    ..PLAIN
                },
                a,
            )
        };
        let cases = [
            0x7fc0_0123,
            0x7f80_0123,
            0xffc0_0456,
            0x7f7f_ffff,
            0x0000_1000,
            0x8000_1001,
            0x7f80_0000,
        ];
        assert_eq!(
            cases.map(|a| away(Overflow::Infinity, a)),
            [
                0x7fc0_0000,
                0x7f80_0000,
                0xffc0_0000,
                0x7f80_0000,
                0x0000_2000,
                0x8000_2000,
                0x7f80_0000
            ]
        );
        assert_eq!(
            cases.map(|a| away(Overflow::LargestFinite, a)),
            [
                0x7fbf_e000,
                0x7f7f_e000,
                0xffbf_e000,
                0x7f7f_e000,
                0x0000_2000,
                0x8000_2000,
                0x7f7f_e000
            ]
        );
    }
}
