//! Integer arithmetic, of registers and of uniform registers.

use warpsmith_sass::{FieldName as F, Opcode as O, tables::High};

use super::{
    super::{
        code::{Op, Predicate, Row, Source, Test},
        lanes::{self, Elements, LanesFunction, Operands},
        pair::{PairOp, Part, Words},
        predicate::{PredicateOp, Scale, Sum},
    },
    Decoder, Numbers, Value,
};

/// The source at a position of the text; zero where the form has fewer.
pub(super) fn source(values: &[Value], index: usize) -> Source {
    values
        .get(index)
        .map_or(Source::ZERO, |value| value.source(Numbers::Integer))
}

/// The words of the 64-bit value at a position of the text.
pub(super) fn words(values: &[Value], index: usize) -> Words {
    values
        .get(index)
        .map_or([Row::ZERO; 2], |value| [value.row, value.high])
}

/// The operation that gives a word from the first three values of the text.
pub(super) fn simple(decoder: &mut Decoder<'_>, function: LanesFunction, parameter: u32) -> Op {
    let values = decoder.values();
    Op::Lanes {
        function,
        d: decoder.destination(),
        a: source(&values, 0),
        b: source(&values, 1),
        c: source(&values, 2),
        parameter,
    }
}

/// The carries out, `Pu` and `Pv`.
fn carries_out(decoder: &Decoder<'_>) -> [Predicate; 2] {
    [decoder.predicate(&[F::Pu, F::UPu]), decoder.predicate(&[F::Pv, F::UPv])]
}

/// The carries into an instruction with `.X`.
fn carries_in(decoder: &Decoder<'_>) -> [Test; 2] {
    if !decoder.has_literal("X") {
        return [Test::NEVER; 2];
    }
    [[F::Pp, F::UPp], [F::Pq, F::UPq]].map(|names| decoder.test(&names).unwrap_or(Test::NEVER))
}

/// Whether what is written to a predicate is dropped.
pub(super) fn is_dropped(predicate: Predicate) -> bool {
    predicate.0 % 8 == 7
}

/// The values that are inverted, one bit each, and how many of them are subtracted.
fn signs(values: &[Value]) -> (u8, u8) {
    let each = values.iter().take(3).enumerate();
    let invert = each.fold(0, |bits, (index, value)| {
        bits | u8::from(value.negated || value.inverted) << index
    });
    let plus = values.iter().take(3).filter(|value| value.negated).count();
    (invert, plus as u8)
}

/// `IADD`, `IADD3`, `UIADD3`
pub(super) fn add(decoder: &mut Decoder<'_>) -> Option<Op> {
    if decoder.has_literal("XOR") {
        return None;
    }
    let values = decoder.values();
    let [p, q] = carries_out(decoder);
    let carries = carries_in(decoder);
    let (invert, plus) = signs(&values);
    let d = decoder.destination();
    if decoder.has_literal("64") {
        return Some(Op::Pair(PairOp::Sum {
            d,
            terms: std::array::from_fn(|index| words(&values, index)),
            invert,
            plus,
            p,
            q,
            carries,
        }));
    }
    if is_dropped(p) && is_dropped(q) && !decoder.has_literal("X") {
        return Some(simple(decoder, lanes::add, 0));
    }
    Some(Op::Predicate(PredicateOp::Sum(Sum {
        d,
        terms: std::array::from_fn(|index| values.get(index).map_or(Row::ZERO, |value| value.row)),
        scale: Scale::One,
        invert,
        plus,
        p,
        q,
        carries,
    })))
}

/// `IMAD`, `UIMAD`
pub(super) fn multiply(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let part = match (decoder.has_literal("HI"), decoder.has_literal("WIDE")) {
        (true, _) => Part::High,
        (_, true) => Part::Wide,
        (false, false) => Part::Low,
    };
    if part == Part::Low && !decoder.has_literal("X") {
        return Some(simple(decoder, lanes::multiply_add, 0));
    }
    let addend = values.get(2)?;
    let high = if part == Part::Low { Row::ZERO } else { addend.high };
    Some(Op::Pair(PairOp::Multiply {
        d: decoder.destination(),
        a: values.first()?.row,
        b: values.get(1)?.row,
        c: [addend.row, high],
        invert: addend.negated || addend.inverted,
        plus: addend.negated,
        signed: !decoder.flag(F::U32),
        part,
        p: carries_out(decoder)[0],
        carry: carries_in(decoder)[0],
    }))
}

/// `LEA`, `ULEA`: the first value shifted left, and the second. With `.HI` the high word of the first and the third (or of its sign) is taken.
pub(super) fn scaled_add(decoder: &mut Decoder<'_>) -> Option<Op> {
    let values = decoder.values();
    let amount = (values.last()?.immediate? & 31) as u8;
    let (a, b) = (values.first()?, values.get(1)?);
    // Two numbers at the end are the high word and the amount; from sm_80 on the high half of such a form is a modifier, not a form.
    let high = decoder.has_literal("HI") || decoder.modifier() == Some(High::Hi);
    let scale = match (high, decoder.has_literal("SX32")) {
        (false, _) => Scale::Low(amount),
        (true, true) => Scale::Sign(amount),
        (true, false) => Scale::High(values.get(2)?.row, amount),
    };
    let [p, q] = carries_out(decoder);
    let d = decoder.destination();
    if is_dropped(p) && !a.negated && !decoder.has_literal("X") {
        let (function, c, parameter): (LanesFunction, _, _) = match scale {
            Scale::One => return None,
            Scale::Low(amount) => (lanes::shift_add, Row::ZERO, amount),
            // The high word of a number shifted by nothing is that shifted by one, its sign.
            Scale::Sign(amount) => (lanes::shift_sign_add, Row::ZERO, amount.max(1)),
            Scale::High(high, 0) => (lanes::add, high, 0),
            Scale::High(high, amount) => (lanes::shift_high_add, high, amount),
        };
        let a = if matches!(scale, Scale::High(_, 0)) {
            Row::ZERO
        } else {
            a.row
        };
        return Some(Op::Lanes {
            function,
            d,
            a: Source::plain(a),
            b: b.source(Numbers::Integer),
            c: Source::plain(c),
            parameter: u32::from(parameter),
        });
    }
    let (invert, plus) = signs(&values[..2.min(values.len())]);
    Some(Op::Predicate(PredicateOp::Sum(Sum {
        d,
        terms: [a.row, b.row, Row::ZERO],
        scale,
        invert,
        plus,
        p,
        q,
        carries: carries_in(decoder),
    })))
}

/// The minimum where `Pp` holds, else the maximum.
fn either(decoder: &mut Decoder<'_>, functions: [LanesFunction; 2], parameters: [u32; 2]) -> Option<Op> {
    let test = decoder.test(&[F::Pp, F::UPp])?;
    if test == Test::ALWAYS || is_dropped(test.predicate) && !test.negated {
        return Some(simple(decoder, functions[0], parameters[0]));
    }
    if is_dropped(test.predicate) {
        return Some(simple(decoder, functions[1], parameters[1]));
    }
    let values = decoder.values();
    Some(Op::Predicate(PredicateOp::Either {
        functions,
        parameters,
        d: decoder.destination(),
        sources: std::array::from_fn(|index| source(&values, index)),
        test,
    }))
}

fn extremes(signed: bool) -> [LanesFunction; 2] {
    if signed {
        [lanes::minimum_signed, lanes::maximum_signed]
    } else {
        [lanes::minimum, lanes::maximum]
    }
}

/// `IMNMX`, `UIMNMX`
pub(super) fn extreme(decoder: &mut Decoder<'_>) -> Option<Op> {
    // What the predicates of sm_120 say was never seen: they are PT, PT and, as source, !PT.
    let second = decoder.test(&[F::Pq, F::UPq]);
    let carried = second.is_some_and(|test| !is_dropped(test.predicate) || !test.negated);
    if carried || carries_out(decoder).into_iter().any(|predicate| !is_dropped(predicate)) {
        return None;
    }
    if !decoder.form_name().ends_with("_type") {
        let functions = extremes(!decoder.flag(F::U32));
        return either(decoder, functions, [0; 2]);
    }
    let values = decoder.values();
    Some(Op::Pair(PairOp::Extreme {
        d: decoder.destination(),
        a: words(&values, 0),
        b: words(&values, 1),
        signed: match decoder.text(F::Type) {
            "S64" => true,
            "U64" => false,
            _ => return None,
        },
        test: decoder.test(&[F::Pp, F::UPp])?,
    }))
}

/// The elements that a modifier names; without sign where it does not matter.
fn elements(text: &str) -> Option<Elements> {
    let (width, signed) = match text {
        "U32" => (32, false),
        "" | "S32" | "32" => (32, true),
        "U16x2" | "16x2" => (16, false),
        "S16x2" => (16, true),
        "U8x4" => (8, false),
        "S8x4" => (8, true),
        _ => return None,
    };
    Some(Elements { width, signed })
}

/// `VIMNMX`, `VIMNMX3`, `VIADDMNMX`, `UVIMNMX`
pub(super) fn vector_extreme(decoder: &mut Decoder<'_>) -> Option<Op> {
    let elements = elements(decoder.text(F::Type))?;
    let relu = decoder.flag(F::Relu);
    let operands = match decoder.instruction.opcode() {
        O::Vimnmx3 => Operands::Three,
        O::Viaddmnmx => Operands::Sum,
        _ => Operands::Two,
    };
    let values = decoder.values();
    if elements.width != 32 && values.iter().any(|value| value.negated) {
        return None;
    }
    let parameters = [false, true].map(|maximum| lanes::extreme_parameter(elements, operands, maximum, relu));
    let [p, q] = carries_out(decoder);
    if !is_dropped(p) || !is_dropped(q) {
        let test = decoder.test(&[F::Pp])?;
        if elements.width != 16 || relu || !is_dropped(test.predicate) {
            return None;
        }
        // Observed: `__vibmax_s16x2` on sm_90.
        return Some(Op::Predicate(PredicateOp::PackedExtreme {
            function: lanes::extreme,
            parameter: parameters[usize::from(test.negated)],
            d: decoder.destination(),
            a: source(&values, 0),
            b: source(&values, 1),
            p,
            q,
        }));
    }
    if elements.width == 32 && !relu && operands == Operands::Two {
        return either(decoder, extremes(elements.signed), [0; 2]);
    }
    either(decoder, [lanes::extreme; 2], parameters)
}

/// `VIADD`, `UVIADD`
pub(super) fn vector_add(decoder: &mut Decoder<'_>) -> Option<Op> {
    let text = match decoder.text(F::Packed) {
        "" => decoder.text(F::Type),
        text => text,
    };
    let elements = elements(text)?;
    let saturate = decoder.flag(F::Isat);
    if elements.width == 32 && !saturate {
        return Some(simple(decoder, lanes::add, 0));
    }
    if saturate && matches!(text, "" | "32" | "16x2") {
        return None;
    }
    let values = decoder.values();
    let (a, b) = (values.first()?, values.get(1)?);
    Some(Op::Lanes {
        function: lanes::packed_add,
        d: decoder.destination(),
        a: Source::plain(a.row),
        b: Source::plain(b.row),
        c: Source::ZERO,
        parameter: lanes::packed_add_parameter(elements, saturate, [a.negated, b.negated]),
    })
}

/// `IDP`
pub(super) fn dot(decoder: &mut Decoder<'_>) -> Option<Op> {
    let signed = |text: &str| match text {
        "U8" | "U16" => Some(0),
        "S8" | "S16" => Some(1),
        _ => None,
    };
    let types = signed(decoder.text(F::AType))? | signed(decoder.text(F::BType))? << 1;
    if decoder.has_literal("4A") {
        return Some(simple(decoder, lanes::dot4, types));
    }
    let high = match decoder.text(F::Half) {
        "LO" => 0,
        "HI" => 4,
        _ => return None,
    };
    let known = decoder.has_literal("2A");
    known.then(|| simple(decoder, lanes::dot2, types | high))
}

/// `VABSDIFF`, `VABSDIFF4`
pub(super) fn difference(decoder: &mut Decoder<'_>) -> Option<Op> {
    if !is_dropped(decoder.predicate(&[F::Pu])) {
        return None;
    }
    if decoder.instruction.opcode() == O::Vabsdiff4 {
        let parameter = u32::from(!decoder.flag(F::Unsigned)) | u32::from(decoder.flag(F::Acc)) << 1;
        return Some(simple(decoder, lanes::byte_differences, parameter));
    }
    let function = if decoder.flag(F::U32) {
        lanes::difference_add
    } else {
        lanes::difference_add_signed
    };
    Some(simple(decoder, function, 0))
}
