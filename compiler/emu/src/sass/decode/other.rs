//! Special registers and constant loads.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        code::{Op, Row},
        constant::ConstantLoad,
        special::Special,
    },
    Decoder,
};

/// `S2R`, `S2UR`, `CS2R`
pub(super) fn special(decoder: &mut Decoder<'_>) -> Option<Op> {
    let wide = decoder.instruction.opcode() == O::Cs2r && !decoder.flag(F::Narrow);
    Some(Op::Special {
        d: decoder.destination(),
        special: Special::named(decoder.text(F::SpecialRegister))?,
        wide,
    })
}

/// `LDC`, `ULDC`, `LDCU`
pub(super) fn constant(decoder: &mut Decoder<'_>) -> Option<Op> {
    let index = match decoder.form_name() {
        "R_C" | "UR_C" => Row::ZERO,
        "R_CR" => decoder.register(F::Ra),
        "UR_CU" => decoder.register(F::URa),
        _ => return None,
    };
    if !matches!(decoder.text(F::IndexMode), "") {
        return None;
    }
    let (bytes, signed) = match decoder.text(F::Size) {
        "U8" => (1, false),
        "S8" => (1, true),
        "U16" => (2, false),
        "S16" => (2, true),
        "" => (4, false),
        "64" => (8, false),
        "128" => (16, false),
        _ => return None,
    };
    Some(Op::Constant(ConstantLoad {
        d: decoder.destination(),
        bank: decoder.raw(F::Bank)? as u8,
        index,
        offset: decoder.number(F::Offset)? as i32,
        bytes,
        signed,
    }))
}
