//! Constant loads.

use warpsmith_sass::FieldName as F;

use super::{
    super::{
        code::{Op, Row},
        constant::ConstantLoad,
    },
    Decoder,
};

/// `LDC`, `ULDC`, `LDCU`
pub(super) fn constant(decoder: &mut Decoder<'_>) -> Option<Op> {
    let index = match decoder.form_name() {
        "UR_C" if decoder.has(F::URa) => decoder.register(F::URa),
        "R_C" | "UR_C" => Row::ZERO,
        "R_CR" => decoder.register(F::Ra),
        "UR_CU" => decoder.register(F::URa),
        _ => return None,
    };
    let plain = [F::IndexMode, F::Texunpack, F::Unpack].map(|field| decoder.text(field));
    if plain != [""; 3] {
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
    let offset = decoder.number(F::Offset)? as i32;
    Some(Op::Constant(ConstantLoad {
        d: decoder.destination(),
        bank: decoder.raw(F::Bank)? as u8,
        index,
        // Without a register the field is a place in the bank of 64 KB: ptxas reads the one at 0x8080 as `c[0x0][-0x7f80]`.
        offset: if index == Row::ZERO { offset & 0xffff } else { offset },
        bytes,
        signed,
    }))
}
