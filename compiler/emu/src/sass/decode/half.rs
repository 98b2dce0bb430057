//! Instructions on pairs of f16 and bf16, and those that mix halves with single precision.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        code::{Constant, LANES, Op, Row, Source, Test},
        float::{FTZ, FloatOp, NAN, OUT_OF_BOUNDS, RELU, SATURATE, XORSIGN},
        half::{self, BFLOAT, BOOLEAN_FLOAT},
        lanes::{self, LanesFunction},
    },
    Decoder,
    float::{Parts, combine, magnitudes_with_signs, predicates, test, words},
};

/// The rows of the operands, and their bits of the parameter. Two immediates in a row are the halves of one operand, the upper one first.
fn operands(decoder: &mut Decoder<'_>, parts: &Parts) -> Option<([Row; 3], u32)> {
    let mut rows = [Row::ZERO; 3];
    let mut parameter = 0;
    let mut index = 0;
    let mut upper = None;
    for operand in &parts.operands {
        if let Some(immediate) = operand.value.immediate {
            let immediate = immediate as u32 & 0xffff;
            let Some(high) = upper.take() else {
                upper = Some(immediate);
                continue;
            };
            *rows.get_mut(index)? = decoder.constants.row(Constant::Value(high << 16 | immediate));
            parameter |= half::operand(index as u32, operand.suffix()?, false, false)?;
        } else {
            *rows.get_mut(index)? = operand.value.row;
            let (negated, absolute) = (operand.value.negated, operand.value.absolute);
            parameter |= half::operand(index as u32, operand.suffix()?, negated, absolute)?;
        }
        index += 1;
    }
    upper.is_none().then_some((rows, parameter))
}

/// `HADD2`, `HMUL2`, `HFMA2`.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let (rows, operands) = operands(decoder, &parts)?;
    let bfloat = parts.take("BF16_V2");
    let single = parts.take("F32");
    // The same function on another pipe.
    parts.take("MMA");
    let modifiers = parts.parameter()?;
    let mixed = half::has_single_operand(operands);
    if modifiers & !(FTZ | SATURATE | RELU | OUT_OF_BOUNDS) != 0 || test(decoder) != Test::ALWAYS {
        return None;
    }
    let pairs = !mixed && !single;
    let function: LanesFunction = match decoder.instruction.opcode() {
        // What `.FTZ` flushes of operands and results in two formats is not known: ptxas does not write it.
        _ if !pairs && (bfloat || modifiers & !SATURATE != 0) => return None,
        O::Hadd2 if single => half::add_to_single,
        O::Hmul2 if single => half::multiply_to_single,
        O::Hadd2 if mixed => half::add_mixed,
        O::Hmul2 if mixed => half::multiply_mixed,
        _ if !pairs => return None,
        O::Hadd2 if bfloat => half::add_bfloat,
        O::Hadd2 => half::add,
        O::Hmul2 if bfloat => half::multiply_bfloat,
        O::Hmul2 => half::multiply,
        O::Hfma2 if bfloat => half::multiply_add_bfloat,
        O::Hfma2 => half::multiply_add,
        _ => return None,
    };
    let parameter = modifiers | operands;
    if let Some(value) = constant(decoder, function, rows, parameter) {
        let row = decoder.constants.row(Constant::Value(value));
        return Some(words(
            decoder,
            lanes::copy,
            [Source::plain(row), Source::ZERO, Source::ZERO],
            0,
        ));
    }
    Some(words(decoder, function, rows.map(Source::plain), parameter))
}

/// The result of an instruction that reads no registers: ptxas loads constants with `HFMA2`.
fn constant(decoder: &Decoder<'_>, function: LanesFunction, rows: [Row; 3], parameter: u32) -> Option<u32> {
    let mut values = [[0; LANES]; 3];
    for (row, value) in rows.into_iter().zip(&mut values) {
        if row.is_zero() {
            continue;
        }
        match row.place() {
            Err(index) => match decoder.constants.list.get(index) {
                Some(Constant::Value(bits)) => *value = [*bits; LANES],
                Some(Constant::Bank { .. }) | None => return None,
            },
            Ok(_) => return None,
        }
    }
    let mut out = [0; LANES];
    function(&mut out, &values[0], &values[1], &values[2], parameter);
    Some(out[0])
}

/// `HMNMX2`
pub(super) fn extreme(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let (rows, mut operands) = operands(decoder, &parts)?;
    let bfloat = if parts.take("BF16_V2") { BFLOAT } else { 0 };
    let modifiers = parts.parameter()?;
    if modifiers & !(FTZ | NAN | XORSIGN) != 0 || half::has_single_operand(operands) {
        return None;
    }
    if modifiers & XORSIGN != 0 {
        magnitudes_with_signs(&parts)?;
        operands = half::without_signs(operands);
    }
    Some(Op::Float(FloatOp::Steered {
        function: half::extreme,
        d: decoder.destination(),
        sources: rows.map(Source::plain),
        test: test(decoder),
        parameter: modifiers | operands | bfloat,
    }))
}

/// `HSET2`, `HSETP2`.
pub(super) fn compare(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let (rows, mut parameter) = operands(decoder, &parts)?;
    let mixed = half::has_single_operand(parameter);
    let code = decoder.raw(F::Cmp)? as u32 & 15;
    let cmp = decoder.text(F::Cmp);
    parts.take(cmp);
    let combine = parts.take_first(combine)?;
    for (text, bit) in [("BF16_V2", BFLOAT), ("BF", BOOLEAN_FLOAT), ("FTZ", FTZ)] {
        if parts.take(text) {
            parameter |= bit;
        }
    }
    if !parts.modifiers.is_empty() || mixed && parameter & (FTZ | BFLOAT) != 0 {
        return None;
    }
    parameter |= half::comparison(code, combine);
    let test = test(decoder);
    Some(Op::Float(match decoder.instruction.opcode() {
        O::Hset2 => FloatOp::Steered {
            function: half::set,
            d: decoder.destination(),
            sources: rows.map(Source::plain),
            test,
            parameter,
        },
        O::Hsetp2 if parameter & BOOLEAN_FLOAT == 0 => {
            let [p, q] = predicates(decoder);
            FloatOp::CompareHalves {
                function: half::compare,
                a: rows[0],
                b: rows[1],
                parameter,
                p,
                q,
                combine,
                test,
            }
        }
        _ => return None,
    }))
}

/// `FHADD`, `FHFMA`.
pub(super) fn with_single(decoder: &mut Decoder<'_>) -> Option<Op> {
    let mut parts = Parts::of(decoder);
    let bfloat = if parts.take("BF16") { BFLOAT } else { 0 };
    let mut parameter = parts.parameter()? | bfloat;
    let factors = match decoder.instruction.opcode() {
        O::Fhadd => 1,
        O::Fhfma => 2,
        _ => return None,
    };
    let mut sources = [parts.raw(0), parts.raw(1), parts.raw(2)];
    for (index, operand) in parts.operands.iter().enumerate() {
        let value = &operand.value;
        let upper = match operand.suffix()? {
            "" => false,
            "H1" => true,
            _ => return None,
        };
        if index < factors {
            parameter |= half::operand(index as u32, "", value.negated, value.absolute)?;
            parameter |= if upper { half::UPPER_FACTOR << index } else { 0 };
        } else {
            *sources.get_mut(index)? = parts.single(index);
            (!upper).then_some(())?;
        }
    }
    let function = if factors == 1 {
        half::add_half_to_single
    } else {
        half::multiply_add_halves_to_single
    };
    Some(words(decoder, function, sources, parameter))
}
