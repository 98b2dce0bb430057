//! Conversions between and within floating-point formats and integers.
//!
//! A parameter holds the types as indices of [`FLOATS`] and [`INTEGERS`], where in the word the source lies, and the modifiers.

use warpsmith_numerics::{
    convert::{self, Integer, Modifiers, S8, S16, S32, S64, U8, U16, U32, U64},
    format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format, TF32, UE8M0},
    round::Overflow,
};

use super::{
    code::{LANES, Lanes},
    float::{Doublewords, FTZ, ROUND_TO_ZERO, clamp, rounding, wide},
    lanes::lanes,
};

/// `.NTZ`: NaN becomes zero.
pub(crate) const NAN_TO_ZERO: u32 = 1 << 8;
/// `.SATFINITE`
pub(crate) const SATURATE_FINITE: u32 = 1 << 9;
/// The source, a half, is negated.
pub(crate) const NEGATE: u32 = 1 << 10;
/// The source is a half, whose magnitude is taken.
pub(crate) const ABSOLUTE: u32 = 1 << 11;
/// Index of the source's type.
const FROM: u32 = 12;
/// Index of the result's type.
const TO: u32 = 16;
/// Where the source starts in its word, in bytes.
const BYTE: u32 = 20;

/// The floating-point formats by their modifier; without one, f32.
const FLOATS: [(&str, Format); 11] = [
    ("F32", F32),
    ("F64", F64),
    ("F16", F16),
    ("BF16", BF16),
    ("TF32", TF32),
    ("E4M3", E4M3),
    ("E5M2", E5M2),
    ("E2M3", E2M3),
    ("E3M2", E3M2),
    ("E2M1", E2M1),
    ("E8", UE8M0),
];

const fn integer(bits: u32, signed: bool) -> Integer {
    Integer { bits, signed }
}

/// The integer types by their modifier; without one, s32.
const INTEGERS: [(&str, Integer); 12] = [
    ("S32", S32),
    ("U32", U32),
    ("S64", S64),
    ("U64", U64),
    ("S16", S16),
    ("U16", U16),
    ("S8", S8),
    ("U8", U8),
    ("S4", integer(4, true)),
    ("U4", integer(4, false)),
    ("S2", integer(2, true)),
    ("U2", integer(2, false)),
];

/// The index of a floating-point format.
pub(crate) fn float_index(text: &str) -> Option<u32> {
    FLOATS
        .iter()
        .position(|(name, _)| *name == text)
        .map(|index| index as u32)
}

/// The index of an integer type.
pub(crate) fn integer_index(text: &str) -> Option<u32> {
    INTEGERS
        .iter()
        .position(|(name, _)| *name == text)
        .map(|index| index as u32)
}

/// Whether the floating-point format takes two words.
pub(crate) fn is_wide_float(index: u32) -> bool {
    index == 1
}

/// Whether the integer type takes two words.
pub(crate) fn is_wide_integer(index: u32) -> bool {
    matches!(index, 2 | 3)
}

/// Whether the floating-point format is f16 or bf16.
pub(crate) fn is_half(index: u32) -> bool {
    matches!(index, 2 | 3)
}

/// The bits of a parameter for the types and the place of the source.
pub(crate) fn types(from: u32, to: u32, byte: u32) -> u32 {
    from << FROM | to << TO | byte << BYTE
}

#[inline(always)]
fn float_type(index: u32) -> Format {
    FLOATS.get((index & 15) as usize).map_or(F32, |(_, format)| *format)
}

#[inline(always)]
fn integer_type(index: u32) -> Integer {
    INTEGERS.get((index & 15) as usize).map_or(S32, |(_, integer)| *integer)
}

fn modifiers(parameter: u32) -> Modifiers {
    Modifiers {
        rounding: rounding(parameter),
        ftz: parameter & FTZ != 0,
        clamp: clamp(parameter),
        overflow: if parameter & SATURATE_FINITE != 0 {
            Overflow::LargestFinite
        } else {
            Overflow::Infinity
        },
    }
}

/// The source in its place in the word, with its sign if it is a half.
#[inline(always)]
fn source(parameter: u32, word: u64) -> u64 {
    let value = word >> (8 * (parameter >> BYTE & 3));
    let value = if parameter & ABSOLUTE != 0 {
        value & 0x7fff
    } else {
        value
    };
    if parameter & NEGATE != 0 { value ^ 0x8000 } else { value }
}

fn float_to_integer(parameter: u32, word: u64) -> u64 {
    let (from, to) = (float_type(parameter >> FROM), integer_type(parameter >> TO));
    let value = source(parameter, word);
    let bits = if from.is_nan(value) {
        if parameter & NAN_TO_ZERO != 0 {
            0
        } else {
            1 << (to.bits - 1)
        }
    } else {
        convert::float_to_integer(from, to, rounding(parameter), parameter & FTZ != 0, value)
    };
    // Results narrower than a register are extended: ptxas uses them as 32-bit numbers as they are.
    to.extend(bits)
}

fn integer_to_float(parameter: u32, word: u64) -> u64 {
    let (from, to) = (integer_type(parameter >> FROM), float_type(parameter >> TO));
    convert::integer_to_float(from, to, modifiers(parameter), source(parameter, word))
}

fn float_to_float(parameter: u32, word: u64) -> u64 {
    let (from, to) = (float_type(parameter >> FROM), float_type(parameter >> TO));
    convert::float_to_float(from, to, modifiers(parameter), source(parameter, word))
}

fn to_integral(parameter: u32, word: u64) -> u64 {
    convert::round_to_integral(
        float_type(parameter >> FROM),
        modifiers(parameter),
        source(parameter, word),
    )
}

/// `F2I`. The host converts f32 towards zero as the machine does, NaN apart: beyond the limits to the next of them.
pub(crate) fn float_to_integer_words(out: &mut Lanes, a: &Lanes, _: &Lanes, _: &Lanes, parameter: u32) {
    let nan = |limit: u32| if parameter & NAN_TO_ZERO != 0 { 0 } else { limit };
    // Subnormal values are zero in any case.
    match parameter & !(FTZ | NAN_TO_ZERO) {
        TRUNCATE_SIGNED => each(out, a, |bits| match f32::from_bits(bits) {
            value if value.is_nan() => nan(1 << 31),
            value => value as i32 as u32,
        }),
        TRUNCATE_UNSIGNED => each(out, a, |bits| match f32::from_bits(bits) {
            value if value.is_nan() => nan(1 << 31),
            value => value as u32,
        }),
        _ => each(out, a, |bits| float_to_integer(parameter, bits.into()) as u32),
    }
}

/// A parameter of `F2I.TRUNC` of f32 to s32, without the modifiers for NaN and subnormals.
const TRUNCATE_SIGNED: u32 = ROUND_TO_ZERO;
/// The same to u32.
const TRUNCATE_UNSIGNED: u32 = ROUND_TO_ZERO | 1 << TO;
/// A parameter of `I2F` of s32 to f32, rounded to nearest as the host does it.
const FROM_SIGNED: u32 = 0;
/// The same of u32.
const FROM_UNSIGNED: u32 = 1 << FROM;

#[inline(always)]
fn each(out: &mut Lanes, a: &Lanes, function: impl Fn(u32) -> u32) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = function(*a);
    }
}

wide!(
    /// `F2I` from or to 64 bits.
    float_to_integer_wide, |a, _b, _c, p| float_to_integer(p, a)
);
/// `I2F`, `I2FP`
pub(crate) fn integer_to_float_words(out: &mut Lanes, a: &Lanes, _: &Lanes, _: &Lanes, parameter: u32) {
    match parameter {
        FROM_SIGNED => each(out, a, |word| (word as i32 as f32).to_bits()),
        FROM_UNSIGNED => each(out, a, |word| (word as f32).to_bits()),
        _ => each(out, a, |word| integer_to_float(parameter, word.into()) as u32),
    }
}
wide!(
    /// `I2F` from or to 64 bits.
    integer_to_float_wide, |a, _b, _c, p| integer_to_float(p, a)
);
lanes!(
    /// `F2F`
    float_to_float_words, |a, _b, _c, p| float_to_float(p, a.into()) as u32
);
wide!(
    /// `F2F` from or to 64 bits.
    float_to_float_wide, |a, _b, _c, p| float_to_float(p, a)
);
lanes!(
    /// `FRND`
    to_integral_words, |a, _b, _c, p| to_integral(p, a.into()) as u32
);
wide!(
    /// `FRND.F64`
    to_integral_wide, |a, _b, _c, p| to_integral(p, a)
);
lanes!(
    /// `I2I`: saturated, then extended.
    saturate_integer, |a, _b, _c, p| {
        let to = integer_type(p >> TO);
        to.extend(convert::integer_to_integer(S32, to, true, a.into())) as u32
    }
);
lanes!(
    /// `I2IP`: `cvt.pack`.
    pack_integers, |a, b, c, p| convert::pack_integers(integer_type(p >> TO), a, b, c)
);
lanes!(
    /// `F2IP`: two bytes below the lower half of the third operand.
    pack_bytes, |a, b, c, p| {
        let [a, b] = [a, b].map(|value| float_to_integer(p, value.into()) as u32 & 0xff);
        c << 16 | a << 8 | b
    }
);

/// The bits that a pair of a format takes, which are those that `.MERGE_C` moves the third operand up by: two narrow conversions, the second
/// merging the first's result, are how ptxas 13.0 makes four values (observed with the stochastic ones).
fn pair_bits(format: Format) -> u32 {
    if format.width() <= 4 { 8 } else { 16 }
}

/// `pair` below the low bits of the third operand.
fn merged(format: Format, pair: u64, c: u32) -> u32 {
    c << pair_bits(format) | pair as u32
}

lanes!(
    /// `F2FP…PACK_AB` to 16 bits.
    pack, |a, b, _c, p| convert::pair(float_type(p >> TO), modifiers(p), a.into(), b.into()) as u32
);
lanes!(
    /// `F2FP…PACK_AB_MERGE_C` to 8 bits and fewer.
    pack_merging, |a, b, c, p| {
        let to = float_type(p >> TO);
        merged(to, convert::pair(to, modifiers(p), a.into(), b.into()), c)
    }
);
lanes!(
    /// `F2FP…PACK_AB.RS`: the third operand is random.
    pack_randomly, |a, b, c, p| {
        convert::stochastic_pair(float_type(p >> TO), modifiers(p), [a.into(), b.into()], c) as u32
    }
);
lanes!(
    /// `F2FP…PACK_AB_MERGE_C.RS`: the upper bits of the third operand are random, the lower move up.
    ///
    /// ptxas 13.0 makes `cvt.rs…x4` of two of these, the second taking the result of the first: the random bits are those at the
    /// top, and for e2m1 those at the top of each half.
    pack_randomly_merging, |a, b, c, p| {
        let to = float_type(p >> TO);
        let four = convert::stochastic_quad(to, modifiers(p), [a.into(), b.into(), 0, 0], c);
        merged(to, four >> pair_bits(to), c)
    }
);
lanes!(
    /// `F2FP…MERGE_C`: one value below the lower half of the second operand.
    merge, |a, b, _c, p| {
        b << 16 | convert::float_to_float(F32, float_type(p >> TO), modifiers(p), a.into()) as u32
    }
);
lanes!(
    /// `F2FP.TF32.F32.PACK_B`
    to_tf32, |a, _b, _c, p| convert::to_tf32(modifiers(p), a.into()) as u32
);
lanes!(
    /// `F2FP…UNPACK_B`: a narrow pair to f16 or bf16.
    unpack, |a, _b, _c, p| {
        convert::repack(float_type(p >> FROM), float_type(p >> TO), modifiers(p), source(p, a.into())) as u32
    }
);
lanes!(
    /// `F2FP…UNPACK_B_MERGE_C`: a pair of f16 or bf16 to a narrow one, below the low bits of the second operand.
    unpack_merging, |a, b, _c, p| {
        let to = float_type(p >> TO);
        merged(to, convert::repack(float_type(p >> FROM), to, modifiers(p), a.into()), b)
    }
);

#[cfg(test)]
mod fast_tests {
    use super::*;

    #[test]
    fn conversions_of_the_host_are_those_of_numerics() {
        let zero = [0; LANES];
        let mut word = 1_u32;
        for _ in 0..20_000 {
            let mut words = [0; LANES];
            for (lane, place) in words.iter_mut().enumerate() {
                word = word.wrapping_mul(0x9e37_79b1).wrapping_add(lane as u32 + 0x7f4a_7c15);
                // Some near the limits of the integers, of subnormals and of NaN.
                *place = match lane % 8 {
                    0 => 0x4effff00_u32.wrapping_add(word >> 23),
                    1 => 0xceffff00_u32.wrapping_add(word >> 23),
                    2 => 0x4f7fff00_u32.wrapping_add(word >> 23),
                    3 => 0x7f7fff80_u32.wrapping_add(word >> 24),
                    4 => 0x3f7fff80_u32.wrapping_add(word >> 23) | word << 31,
                    5 => word >> 8 & 0x0100_0003 | word << 31,
                    _ => word,
                };
            }
            for more in [0, FTZ, NAN_TO_ZERO, FTZ | NAN_TO_ZERO] {
                for parameter in [TRUNCATE_SIGNED | more, TRUNCATE_UNSIGNED | more] {
                    let mut out = [0; LANES];
                    float_to_integer_words(&mut out, &words, &zero, &zero, parameter);
                    let exact = words.map(|bits| float_to_integer(parameter, bits.into()) as u32);
                    assert_eq!(out, exact, "{words:x?} {parameter:x}");
                }
            }
            for parameter in [FROM_SIGNED, FROM_UNSIGNED] {
                let mut out = [0; LANES];
                integer_to_float_words(&mut out, &words, &zero, &zero, parameter);
                let exact = words.map(|bits| integer_to_float(parameter, bits.into()) as u32);
                assert_eq!(out, exact, "{words:x?} {parameter:x}");
            }
        }
    }
}
