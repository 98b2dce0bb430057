//! Conversions.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        code::{Op, Source},
        convert::{self, ABSOLUTE, NAN_TO_ZERO, NEGATE, SATURATE_FINITE, types},
        float::{FTZ, FloatOp, Pair, RELU, ROUND_TO_ZERO, SATURATE, WideFunction},
        lanes::LanesFunction,
    },
    Decoder,
    float::{Parts, words},
};

/// Where the source starts in its word, in bytes, and its signs if it is a half.
fn place(parts: &Parts, is_half: bool) -> Option<(u32, u32)> {
    let operand = parts.operands.first()?;
    let byte = match operand.suffix()? {
        "" => 0,
        "B1" => 1,
        "B2" | "H1" => 2,
        "B3" => 3,
        _ => return None,
    };
    let value = &operand.value;
    let mut signs = 0;
    if is_half && value.negated {
        signs |= NEGATE;
    }
    if is_half && value.absolute {
        signs |= ABSOLUTE;
    }
    Some((byte, signs))
}

/// A conversion of one value: on words, or where a type is wide on pairs.
struct Single {
    words: LanesFunction,
    wide: WideFunction,
    source_is_wide: bool,
    /// The source is f32.
    source_is_single: bool,
    result_is_wide: bool,
}

impl Single {
    fn op(self, decoder: &Decoder<'_>, parts: &Parts, parameter: u32) -> Op {
        let source = if self.source_is_single {
            parts.single(0)
        } else {
            parts.raw(0)
        };
        if !self.source_is_wide && !self.result_is_wide {
            return words(decoder, self.words, [source, Source::ZERO, Source::ZERO], parameter);
        }
        Op::Float(FloatOp::Wide {
            function: self.wide,
            d: decoder.destination(),
            wide: self.result_is_wide,
            sources: [
                if self.source_is_wide {
                    parts.double(0)
                } else {
                    Pair::word(source)
                },
                Pair::ZERO,
                Pair::ZERO,
            ],
            parameter,
        })
    }
}

/// Conversions of one value.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    match decoder.instruction.opcode() {
        O::F2i | O::Uf2i => float_to_integer(decoder, &mut parts),
        O::I2f | O::Ui2f | O::I2fp | O::Ui2fp => integer_to_float(decoder, &mut parts),
        O::F2f | O::Uf2f => float_to_float(decoder, &mut parts),
        O::Frnd | O::Ufrnd => to_integral(decoder, &mut parts),
        O::I2i | O::Ui2i => saturate(decoder, &mut parts),
        O::I2ip | O::Ui2ip | O::F2ip | O::Uf2ip => pack_integers(decoder, &mut parts),
        _ => None,
    }
}

fn float_to_integer(decoder: &Decoder<'_>, parts: &mut Parts) -> Option<Op> {
    let to = parts.take_first(convert::integer_index).unwrap_or(0);
    let from = parts.take_first(convert::float_index).unwrap_or(0);
    let nan = if parts.take("NTZ") { NAN_TO_ZERO } else { 0 };
    let (byte, signs) = place(parts, convert::is_half(from))?;
    let modifiers = parts.parameter().filter(|bits| bits & !(3 | FTZ) == 0)?;
    let single = Single {
        words: convert::float_to_integer_words,
        wide: convert::float_to_integer_wide,
        source_is_wide: convert::is_wide_float(from),
        source_is_single: from == 0,
        result_is_wide: convert::is_wide_integer(to),
    };
    Some(single.op(decoder, parts, modifiers | nan | signs | types(from, to, byte)))
}

fn integer_to_float(decoder: &Decoder<'_>, parts: &mut Parts) -> Option<Op> {
    let from = parts.take_first(convert::integer_index).unwrap_or(0);
    let to = parts.take_first(convert::float_index).unwrap_or(0);
    let (byte, _) = place(parts, false)?;
    let modifiers = parts.parameter().filter(|bits| bits & !3 == 0)?;
    let single = Single {
        words: convert::integer_to_float_words,
        wide: convert::integer_to_float_wide,
        source_is_wide: convert::is_wide_integer(from),
        source_is_single: false,
        result_is_wide: convert::is_wide_float(to),
    };
    Some(single.op(decoder, parts, modifiers | types(from, to, byte)))
}

/// The formats of `F2F`, source and result: of its two the text names the result first, but a form's name holds only those that are fixed.
fn formats(decoder: &Decoder<'_>, parts: &mut Parts) -> Option<(u32, u32)> {
    let first = parts.take_first(convert::float_index)?;
    let second = parts.take_first(convert::float_index)?;
    let source_is_last = decoder.has(F::Half) || decoder.has(F::SourceType);
    let literals = decoder.form_name().split('.').count() - 1;
    // With one literal and the other a field, the field stands before it unless it describes the source.
    if literals == 1 && !source_is_last {
        Some((first, second))
    } else {
        Some((second, first))
    }
}

fn float_to_float(decoder: &Decoder<'_>, parts: &mut Parts) -> Option<Op> {
    let (from, to) = formats(decoder, parts)?;
    let (byte, signs) = place(parts, convert::is_half(from))?;
    let modifiers = parts.parameter().filter(|bits| bits & !(3 | FTZ) == 0)?;
    let single = Single {
        words: convert::float_to_float_words,
        wide: convert::float_to_float_wide,
        source_is_wide: convert::is_wide_float(from),
        source_is_single: from == 0,
        result_is_wide: convert::is_wide_float(to),
    };
    Some(single.op(decoder, parts, modifiers | signs | types(from, to, byte)))
}

fn to_integral(decoder: &Decoder<'_>, parts: &mut Parts) -> Option<Op> {
    let format = parts.take_first(convert::float_index).unwrap_or(0);
    let (byte, signs) = place(parts, convert::is_half(format))?;
    let modifiers = parts.parameter().filter(|bits| bits & !(3 | FTZ) == 0)?;
    let wide = convert::is_wide_float(format);
    let single = Single {
        words: convert::to_integral_words,
        wide: convert::to_integral_wide,
        source_is_wide: wide,
        source_is_single: format == 0,
        result_is_wide: wide,
    };
    Some(single.op(decoder, parts, modifiers | signs | types(format, format, byte)))
}

/// `I2I`: from s32 with saturation.
fn saturate(decoder: &Decoder<'_>, parts: &mut Parts) -> Option<Op> {
    let fixed = parts.take("S32") && parts.take("SAT");
    let to = parts.take_first(convert::integer_index)?;
    if !fixed || !parts.modifiers.is_empty() || !parts.has_plain_operands() {
        return None;
    }
    let sources = [parts.raw(0), Source::ZERO, Source::ZERO];
    Some(words(decoder, convert::saturate_integer, sources, types(0, to, 0)))
}

/// `I2IP` and `F2IP`: two values and what is merged.
fn pack_integers(decoder: &Decoder<'_>, parts: &mut Parts) -> Option<Op> {
    let sources = [parts.raw(0), parts.raw(1), parts.raw(2)];
    if parts.operands.len() != 3 {
        return None;
    }
    if matches!(decoder.instruction.opcode(), O::F2ip | O::Uf2ip) {
        let to = parts.take_first(convert::integer_index)?;
        let fixed = parts.take("F32") && parts.take("NTZ");
        let modifiers = parts.parameter().filter(|bits| bits & !ROUND_TO_ZERO == 0)?;
        if !fixed || !parts.has_plain_operands() {
            return None;
        }
        let parameter = modifiers | NAN_TO_ZERO | types(0, to, 0);
        return Some(words(decoder, convert::pack_bytes, sources, parameter));
    }
    let fixed = parts.take("S32") && parts.take("SAT");
    let to = parts.take_first(convert::integer_index)?;
    // `.24` and `.28` say what is kept of the third operand, which follows from the type.
    let suffixes = parts.operands.iter().flat_map(|operand| &operand.suffixes);
    let plain = suffixes.into_iter().all(|suffix| matches!(*suffix, "24" | "28"));
    if !fixed || !parts.modifiers.is_empty() || !plain {
        return None;
    }
    Some(words(decoder, convert::pack_integers, sources, types(0, to, 0)))
}

/// `F2FP`
pub(super) fn pack(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let from_hidden_form = parts.take("HIDDEN");
    let shapes = [
        "UNPACK_B_MERGE_C",
        "PACK_AB_MERGE_C",
        "UNPACK_B",
        "PACK_AB",
        "PACK_B",
        "MERGE_C",
    ];
    let shape = shapes.into_iter().find(|shape| parts.take(shape))?;
    let random = parts.take("RS");
    let finite = if parts.take("SATFINITE") { SATURATE_FINITE } else { 0 };
    let formats: [Option<u32>; 2] = std::array::from_fn(|_| parts.take_first(convert::float_index));
    let modifiers = parts.parameter()? | finite;
    if modifiers & !(3 | RELU | SATURATE_FINITE) != 0 || modifiers & SATURATE != 0 {
        return None;
    }
    let (from, to) = direction(shape, formats)?;
    let (byte, signs) = place(&parts, false)?;
    let later_are_plain = parts.operands.iter().skip(1).all(|operand| operand.suffixes.is_empty());
    let may_choose = shape == "UNPACK_B";
    if !later_are_plain || signs != 0 || byte != 0 && !may_choose {
        return None;
    }
    let single = |index| parts.single(index);
    let raw = |index| parts.raw(index);
    let (function, sources): (LanesFunction, [Source; 3]) = match (shape, random, parts.operands.len()) {
        ("PACK_AB", false, 2) => (convert::pack, [single(0), single(1), Source::ZERO]),
        ("PACK_AB", false, 3) if from_hidden_form => (convert::pack, [single(0), single(1), Source::ZERO]),
        ("PACK_AB", true, 3) => (convert::pack_randomly, [single(0), single(1), raw(2)]),
        ("PACK_AB_MERGE_C", false, 3) => (convert::pack_merging, [single(0), single(1), raw(2)]),
        ("PACK_AB_MERGE_C", true, 3) => (convert::pack_randomly_merging, [single(0), single(1), raw(2)]),
        ("PACK_B", false, 1) => (convert::to_tf32, [single(0), Source::ZERO, Source::ZERO]),
        // The first operand is not used: ptxas writes RZ.
        ("MERGE_C", false, 3) if from_hidden_form && raw(0).row.is_zero() => {
            (convert::merge, [single(1), raw(2), Source::ZERO])
        }
        ("MERGE_C", false, 2) => (convert::merge, [single(0), raw(1), Source::ZERO]),
        ("UNPACK_B", false, 1) => (convert::unpack, [raw(0), Source::ZERO, Source::ZERO]),
        ("UNPACK_B_MERGE_C", false, 2) => (convert::unpack_merging, [raw(0), raw(1), Source::ZERO]),
        _ => return None,
    };
    Some(words(decoder, function, sources, modifiers | types(from, to, byte)))
}

/// The source's and the result's format. The text's order differs among the forms, but what is packed is f32 to anything, what is
/// unpacked a narrow format to a half, or with `_MERGE_C` a half to a narrow format. Generations before sm_89 name bf16 at most.
fn direction(shape: &str, formats: [Option<u32>; 2]) -> Option<(u32, u32)> {
    const SINGLE: u32 = 0;
    let half = convert::float_index("F16")?;
    let bfloat = convert::float_index("BF16")?;
    let is_half = |format: u32| format == half || format == bfloat;
    match (shape, formats) {
        ("PACK_AB" | "MERGE_C", [None, None]) => Some((SINGLE, half)),
        ("PACK_AB" | "MERGE_C", [Some(format), None]) if format == bfloat => Some((SINGLE, bfloat)),
        ("UNPACK_B" | "UNPACK_B_MERGE_C", [Some(a), Some(b)]) => {
            let (wide, narrow) = match (is_half(a), is_half(b)) {
                (true, false) => (a, b),
                (false, true) => (b, a),
                (true, true) | (false, false) => return None,
            };
            Some(if shape == "UNPACK_B" {
                (narrow, wide)
            } else {
                (wide, narrow)
            })
        }
        (_, [Some(a), Some(b)]) if a == SINGLE && b != SINGLE => Some((SINGLE, b)),
        (_, [Some(a), Some(b)]) if b == SINGLE && a != SINGLE => Some((SINGLE, a)),
        _ => None,
    }
}
