//! Tensor memory: `LDTM`, `STTM`, and the instructions of the fifth generation of tensor cores.

use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    super::{
        code::{Op, Row, Test},
        tensor_memory::{Address, Columns, Multiply, Precision, TensorOp, UnitAction, Units},
    },
    Decoder,
};
use crate::tensor_memory::{
    copy::{ALL, Copy, Decompression, EACH, PAIRS_01_23, PAIRS_02_13, Targets},
    shape::{Reduced, Reduction, Shape},
};

/// The shapes of loads and stores: registers of a repetition, and lanes.
#[rustfmt::skip]
const SHAPES: [(&str, Shape, u8, u32); 6] = [
    ("",                   Shape::Rows32,        1, u32::MAX),
    ("16dp64bit",          Shape::Rows16Bits64,  1, u32::MAX),
    ("16dp128bit",         Shape::Rows16Bits128, 2, u32::MAX),
    ("16dp256bit",         Shape::Rows16Bits256, 4, u32::MAX),
    ("16dp32bit_t0_t15",   Shape::Halves(0),     1, 0x0000_ffff),
    ("16dp32bit_t16_t31",  Shape::Halves(0),     1, 0xffff_0000),
];

/// The shapes of copies: rows, units of 16 bytes, and where they go.
#[rustfmt::skip]
const COPIES: [(&str, usize, usize, Targets); 6] = [
    ("",                       128, 2, EACH),
    ("4dp256bit",                4, 2, EACH),
    ("128dp128bit",            128, 1, EACH),
    ("2x64dp128bit_lw02_lw13",  64, 1, PAIRS_02_13),
    ("2x64dp128bit_lw01_lw23",  64, 1, PAIRS_01_23),
    ("4x32dp128bit",            32, 1, ALL),
];

fn address(decoder: &Decoder<'_>, field: F) -> Address {
    Address {
        base: decoder.register(field),
        offset: decoder.number(F::Offset).unwrap_or(0),
    }
}

fn columns(decoder: &Decoder<'_>, first: F, base: F, halves: F) -> Option<Columns> {
    let text = decoder.text(F::Shape);
    let (_, shape, each, lanes) = SHAPES.iter().find(|shape| shape.0 == text)?;
    let count: u8 = match decoder.text(F::Count) {
        "" => 1,
        text => text.strip_prefix('x')?.parse().ok()?,
    };
    Some(Columns {
        shape: *shape,
        lanes: *lanes,
        registers: each.checked_mul(count).filter(|registers| *registers <= 128)?,
        halves: decoder.flag(halves),
        first: decoder.register(first),
        address: address(decoder, base),
    })
}

/// `LDTM`, `STTM`.
pub(super) fn access(decoder: &mut Decoder<'_>) -> Option<Op> {
    Some(Op::Tensor(match decoder.instruction.opcode() {
        O::Sttm => TensorOp::Store(columns(decoder, F::Rb, F::URc, F::Expand16bit)?),
        _ => {
            let reduction = match decoder.has_literal("STAT") {
                true => Some((reduction(decoder)?, decoder.register(F::Ra))),
                false => None,
            };
            TensorOp::Load(columns(decoder, F::Rd, F::URb, F::Pack16bit)?, reduction)
        }
    }))
}

fn reduction(decoder: &Decoder<'_>) -> Option<Reduction> {
    let (least, absolute) = match decoder.text(F::Operation) {
        "MIN" => (true, false),
        "MINABS" => (true, true),
        "MAX" => (false, false),
        "MAXABS" => (false, true),
        _ => return None,
    };
    let of = match decoder.text(F::Type) {
        "" => Reduced::U32,
        "S32" => Reduced::S32,
        "F32" => Reduced::F32 {
            nan: decoder.flag(F::Nan),
        },
        _ => return None,
    };
    Some(Reduction { least, absolute, of })
}

/// `UTCATOMSWS`: its exchange is not known to be used.
pub(super) fn units(decoder: &mut Decoder<'_>) -> Option<Op> {
    let action = match (decoder.has_literal("FIND_AND_SET"), decoder.text(F::Combine)) {
        (true, _) if decoder.flag(F::Align) => UnitAction::Find(decoder.predicate(&[F::UPu])),
        (false, "AND") => UnitAction::And,
        (false, "OR") => UnitAction::Or,
        _ => return None,
    };
    Some(Op::Tensor(TensorOp::Units(Units {
        action,
        pair: decoder.flag(F::TwoCta),
        d: decoder.register(F::URd),
        operand: decoder.register(F::URb),
    })))
}

/// `UTCCP`.
pub(super) fn copy(decoder: &mut Decoder<'_>) -> Option<Op> {
    let text = decoder.text(F::Shape);
    let (_, rows, units, targets) = COPIES.iter().find(|copy| copy.0 == text)?;
    let copy = Copy {
        rows: *rows,
        units: *units,
        targets,
        decompression: match decoder.text(F::Decompress) {
            "" => Decompression::Nothing,
            "U4x16P64" => Decompression::FourBits,
            "U6x16P32" => Decompression::SixBits,
            _ => return None,
        },
        pair: decoder.has_literal("2CTA"),
    };
    Some(Op::Tensor(TensorOp::Copy {
        copy,
        to: address(decoder, F::URa),
        from: decoder.register(F::URb),
    }))
}

/// `UTCSHIFT`.
pub(super) fn shift(decoder: &mut Decoder<'_>) -> Option<Op> {
    if decoder.text(F::Direction) != "DOWN" {
        return None;
    }
    Some(Op::Tensor(TensorOp::Shift {
        at: address(decoder, F::URa),
        pair: decoder.has_literal("2CTA"),
    }))
}

/// `UTCBAR`.
pub(super) fn arrival(decoder: &mut Decoder<'_>) -> Option<Op> {
    if decoder.has_literal("FLUSH") || decoder.flag(F::A0tx) || decoder.flag(F::Wakeup) {
        return None;
    }
    // What the second register is for is not known: it is zero in all code seen.
    if decoder.register(F::URb) != Row::UNIFORM_ZERO {
        return None;
    }
    Some(Op::Tensor(TensorOp::Arrive {
        barrier: decoder.register(F::URa),
        ctas: decoder.flag(F::Multicast).then(|| decoder.register(F::URc)),
    }))
}

/// `UTCHMMA`, `UTCIMMA`, `UTCOMMA`, `UTCQMMA`.
pub(super) fn product(decoder: &mut Decoder<'_>) -> Option<Op> {
    let opcode = match decoder.instruction.opcode() {
        O::Utchmma => Precision::Half,
        O::Utcimma => Precision::Whole,
        O::Utcomma => Precision::Nibble,
        O::Utcqmma => Precision::Byte,
        _ => return None,
    };
    let operands = decoder.form_name().rsplit('.').next()?;
    let scales = match (operands.ends_with("_ID_T_UP"), opcode) {
        (false, _) => 0,
        (true, Precision::Nibble) => {
            let four = ["4X", "BLOCK16"];
            let says = |field| four.contains(&decoder.text(field));
            if says(F::ScaleVector4x) || says(F::Block16) {
                4
            } else {
                2
            }
        }
        (true, _) => 1,
    };
    let more = decoder.register(F::URf);
    Some(Op::Tensor(TensorOp::Multiply(Multiply {
        opcode,
        pair: decoder.has_literal("2CTA"),
        stationary: decoder.flag(F::WeightStationary),
        shifts: decoder.flag(F::Ashift),
        a_in_tensor_memory: operands.starts_with("T_G"),
        scales,
        a: decoder.register(F::URa),
        b: decoder.register(F::URb),
        d: decoder.register(F::URc),
        metadata: decoder.register(F::URe),
        more: (!more.is_zero()).then_some(more),
        accumulate: decoder.test(&[F::UPp]).unwrap_or(Test::ALWAYS),
        divides: decoder.raw(F::Imm).unwrap_or(0) as u32,
        sm: match decoder.instruction.isa() {
            Isa::Sm100 => 100,
            Isa::Sm103 => 103,
            Isa::Sm110 => 110,
            Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 | Isa::Sm90 | Isa::Sm120 => return None,
        },
    })))
}
