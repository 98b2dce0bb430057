//! Conversions to, from and between packed types.
//!
//! Elements of fp8 and fp6 lie in bytes, the upper two bits of an fp6 byte being zero, elements of e2m1 in four bits, of f16 and bf16 in 16.

use super::{Modifiers, float_to_float};
use crate::format::{F32, Format};
use crate::round::Rounding;

/// The bits between the elements of a packed type.
const fn stride(format: Format) -> u32 {
    match format.width() {
        0..=4 => 4,
        5..=8 => 8,
        width => width,
    }
}

/// `cvt` of two f32 values to a packed type: `a` in the upper element, `b` in the lower.
///
/// ```
/// use warpsmith_numerics::{convert::{pair, Modifiers}, format::{E2M3, F16}};
/// assert_eq!(pair(F16, Modifiers::default(), 0x3f80_0000, 0x4000_0000), 0x3c00_4000);
/// assert_eq!(pair(E2M3, Modifiers::default(), 0xbf80_0000, 0x3f80_0000), 0x2808);
/// ```
#[inline]
pub fn pair(to: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    gather(to, [a, b].map(|value| float_to_float(F32, to, modifiers, value)))
}

/// `cvt` from a packed pair to another, element by element: to fp8, fp6 and e2m1 from f16x2, back to f16x2, to ue8m0 from bf16x2 and back.
///
/// ```
/// use warpsmith_numerics::{convert::{repack, Modifiers}, format::{E2M1, F16}};
/// assert_eq!(repack(E2M1, F16, Modifiers::default(), 0x72), 0x4600_3c00); // 6 and 1
/// ```
#[inline]
pub fn repack(from: Format, to: Format, modifiers: Modifiers, packed: u64) -> u64 {
    let elements = [packed >> stride(from), packed];
    gather(to, elements.map(|element| float_to_float(from, to, modifiers, element)))
}

/// `cvt.rs` of two f32 values to f16x2 or bf16x2: `a` takes its random bits from the upper half of `random`, `b` from the lower, f16 the low 13
/// bits of each. The rounding of the modifiers is not used.
///
/// The random bits are aligned with the highest discarded bit, also where the result is subnormal; there the manual is silent.
#[inline]
pub fn stochastic_pair(to: Format, modifiers: Modifiers, [a, b]: [u64; 2], random: u32) -> u64 {
    let bits = F32.mantissa_bits - to.mantissa_bits;
    let convert = |value, random| stochastic(to, modifiers, value, random & ((1 << bits) - 1), bits);
    gather(to, [convert(a, random >> 16), convert(b, random)])
}

/// `cvt.rs` of four f32 values to fp8, fp6 or e2m1, the first in the uppermost element.
///
/// For 8-bit elements the first two values take the upper 16 bits of `random`, the others the lower 16. For e2m1 the first two take the upper
/// bytes of both halves, the others the lower bytes; that each value takes one byte, the first of each two from the upper half, is an
/// assumption: the manual's text does not say which value takes which.
#[inline]
pub fn stochastic_quad(to: Format, modifiers: Modifiers, values: [u64; 4], random: u32) -> u64 {
    let (bits, shifts) = if stride(to) == 4 {
        (8, [24, 8, 16, 0])
    } else {
        (16, [16, 16, 0, 0])
    };
    let mut elements = values;
    for (element, shift) in elements.iter_mut().zip(shifts) {
        *element = stochastic(to, modifiers, *element, (random >> shift) & ((1 << bits) - 1), bits);
    }
    gather(to, elements)
}

#[inline]
fn stochastic(to: Format, modifiers: Modifiers, value: u64, random: u32, bits: u32) -> u64 {
    float_to_float(
        F32,
        to,
        Modifiers {
            rounding: Rounding::Stochastic { random, bits },
            ..modifiers
        },
        value,
    )
}

/// Elements side by side, the first uppermost.
#[inline]
fn gather<const N: usize>(format: Format, elements: [u64; N]) -> u64 {
    elements
        .into_iter()
        .fold(0, |packed, element| packed << stride(format) | element)
}

#[cfg(test)]
mod tests {
    use super::super::Modifiers;
    use super::{pair, repack, stochastic_pair, stochastic_quad};
    use crate::float::Clamp;
    use crate::format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, UE8M0};
    use crate::round::{Overflow, Rounding};

    const SATFINITE: Modifiers = Modifiers {
        rounding: Rounding::NearestEven,
        ftz: false,
        clamp: Clamp::None,
        overflow: Overflow::LargestFinite,
    };
    const ONE: u64 = 0x3f80_0000;
    const MINUS_TWO: u64 = 0xc000_0000;

    #[test]
    fn upper_element_first() {
        let results = [E4M3, E5M2, E3M2, E2M3, E2M1, UE8M0, BF16].map(|to| pair(to, SATFINITE, MINUS_TWO, ONE));
        assert_eq!(results, [0xc038, 0xc03c, 0x300c, 0x3008, 0xc2, 0x807f, 0xc000_3f80]);
    }

    #[test]
    fn there_and_back() {
        for format in [E4M3, E5M2, E3M2, E2M3, E2M1] {
            let narrow = pair(format, SATFINITE, MINUS_TWO, ONE);
            assert_eq!(
                repack(format, F16, Modifiers::default(), narrow),
                0xc000_3c00,
                "{}",
                format.name
            );
            assert_eq!(repack(F16, format, SATFINITE, 0xc000_3c00), narrow, "{}", format.name);
        }
        assert_eq!(repack(UE8M0, BF16, Modifiers::default(), 0x807f), 0x4000_3f80);
        let up = Modifiers {
            rounding: Rounding::TowardPositive,
            ..SATFINITE
        };
        assert_eq!(repack(BF16, UE8M0, up, 0x4001_3f80), 0x817f);
    }

    #[test]
    fn relu_by_element() {
        let relu = Modifiers {
            clamp: Clamp::Relu,
            ..SATFINITE
        };
        assert_eq!(pair(E4M3, relu, MINUS_TWO, ONE), 0x0038);
        assert_eq!(repack(E2M1, F16, relu, 0xc2), 0x0000_3c00);
    }

    #[test]
    fn random_bits_of_pairs() {
        let half_up = ONE + (1 << 12); // half an ulp of f16 above 1
        let at = |random| stochastic_pair(F16, SATFINITE, [half_up; 2], random);
        assert_eq!(at(0x1000_0fff), 0x3c01_3c00);
        assert_eq!(at(0xe000_f000), 0x3c00_3c01, "three bits of each half are not used");
        let half_up = ONE + (1 << 15);
        assert_eq!(stochastic_pair(BF16, SATFINITE, [half_up; 2], 0x7fff_8000), 0x3f80_3f81);
    }

    #[test]
    fn random_bits_of_quads() {
        let half_up = [ONE + (1 << 19); 4]; // half an ulp of e4m3 above 1
        assert_eq!(stochastic_quad(E4M3, SATFINITE, half_up, 0x8000_7fff), 0x3939_3838);
        let half_up = [ONE + (1 << 21); 4];
        assert_eq!(stochastic_quad(E2M1, SATFINITE, half_up, 0x8000_0000), 0x3222);
        assert_eq!(stochastic_quad(E2M1, SATFINITE, half_up, 0x0080_0000), 0x2232);
        assert_eq!(stochastic_quad(E2M1, SATFINITE, half_up, 0x0000_8080), 0x2323);
    }
}
