//! Products of matrices.

use warpsmith_numerics::{
    matrix::{BitOperation, Generation, ScaledDot},
    round::Rounding,
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    super::{
        code::{Op, Row, Test},
        product::{Kind, MatrixProduct, Multiply, QuadStep, ScaleRows},
        warpgroup::{GroupMultiply, Left},
    },
    Decoder,
};
use crate::matrix::{Cell, Element, descriptor::Major, quad::Layouts};

/// The tensor cores of an instruction set.
fn generation(isa: Isa) -> Generation {
    match isa {
        Isa::Sm75 => Generation::Turing,
        Isa::Sm80 | Isa::Sm86 => Generation::Ampere,
        Isa::Sm89 => Generation::Ada,
        Isa::Sm90 => Generation::Hopper,
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 => Generation::Blackwell,
        Isa::Sm120 => Generation::ConsumerBlackwell,
    }
}

/// Rows of A and elements of its rows. All have 8 columns of B.
fn shape(decoder: &Decoder<'_>) -> Option<(u8, u16)> {
    let text = match decoder.text(F::Shape) {
        "" => ["16832", "16864", "168128"]
            .into_iter()
            .find(|text| decoder.has_literal(text))?,
        text => text,
    };
    Some(match text {
        "884" | "8x8x4" => (8, 4),
        "8816" => (8, 16),
        "8832" => (8, 32),
        "88128" => (8, 128),
        "1684" | "16x8x4" => (16, 4),
        "1688" | "16x8x8" => (16, 8),
        "16816" | "16x8x16" => (16, 16),
        "16832" => (16, 32),
        "16864" => (16, 64),
        "168128" => (16, 128),
        "168256" => (16, 256),
        _ => return None,
    })
}

/// The first registers of D, A, B and C. `None` where an operand has a sign, or what is computed depends on a predicate: ptxas writes neither.
fn registers(decoder: &mut Decoder<'_>) -> Option<[Row; 4]> {
    let plain = decoder.values().iter().all(|value| !value.negated && !value.absolute);
    let always = decoder
        .test(&[F::UPp])
        .is_none_or(|test| test.predicate.0 == 15 && !test.negated);
    (plain && always).then(|| [F::Rd, F::Ra, F::Rb, F::Rc].map(|field| decoder.register(field)))
}

/// `HMMA`, `IMMA`, `BMMA`, `DMMA`, `QMMA`, `OMMA`.
pub(super) fn product(decoder: &mut Decoder<'_>) -> Option<Op> {
    if decoder.has_literal("884") {
        return quad_step(decoder);
    }
    let (kind, a, b, sum) = arithmetic(decoder)?;
    // A always lies by rows and B by columns; nothing else is known to exist.
    let layouts = (decoder.text(F::ALayout), decoder.text(F::BLayout));
    if !matches!(layouts, ("", "") | ("ROW", "COL")) || decoder.flag(F::Regoffset) {
        return None;
    }
    let (rows, depth) = shape(decoder)?;
    let scales = if decoder.has_literal("SF") {
        Some(scale_rows(decoder)?)
    } else {
        None
    };
    let metadata = if decoder.has_literal("SP") {
        Some((decoder.register(F::Re), decoder.raw(F::OperandSelector)? as u8))
    } else {
        None
    };
    // The shapes of PTX: a row of B has 16 or 32 bytes, and twice that where A is sparse.
    let bits = u32::from(depth) * if a == Element::Bits { 1 } else { a.bits() };
    let known = match (rows, metadata) {
        _ if a == Element::F64 => metadata.is_none(),
        (8, None) => bits == 128,
        (16, None) => matches!(bits, 128 | 256),
        (16, Some(_)) => matches!(bits, 256 | 512),
        _ => false,
    };
    if !known {
        return None;
    }
    Some(Op::Product(MatrixProduct::Warp(Multiply {
        generation: generation(decoder.instruction.isa()),
        rows,
        depth,
        a,
        b,
        sum,
        kind,
        registers: registers(decoder)?,
        metadata,
        scales,
    })))
}

/// What is multiplied, and the type of C and D.
type Arithmetic = (Kind, Element, Element, Cell);

fn arithmetic(decoder: &Decoder<'_>) -> Option<Arithmetic> {
    match decoder.instruction.opcode() {
        O::Hmma | O::Hgmma => half(decoder),
        O::Imma | O::Igmma => whole(decoder),
        O::Bmma | O::Bgmma => bits(decoder),
        O::Dmma => double(decoder),
        O::Qmma | O::Qgmma => narrow(decoder),
        O::Omma => scaled(decoder),
        _ => None,
    }
}

/// The type of accumulators of floating point.
fn accumulator(decoder: &Decoder<'_>) -> Option<Cell> {
    match decoder.text(F::Accumulator) {
        "F16" => Some(Cell::F16),
        "F32" => Some(Cell::F32),
        "" if decoder.has_literal("F32") => Some(Cell::F32),
        _ => None,
    }
}

fn half(decoder: &Decoder<'_>) -> Option<Arithmetic> {
    let element = match decoder.text(F::Type) {
        "" => Element::F16,
        "BF16" => Element::Bf16,
        "TF32" => Element::Tf32,
        _ => return None,
    };
    let sum = accumulator(decoder)?;
    if sum == Cell::F16 && element != Element::F16 || !matches!(decoder.raw(F::Reserved82), None | Some(0)) {
        return None;
    }
    let finite = decoder.flag(F::Satfinite);
    Some((Kind::Float { finite }, element, element, sum))
}

fn whole(decoder: &Decoder<'_>) -> Option<Arithmetic> {
    let element = |field| {
        Some(match decoder.text(field) {
            "S8" => Element::S8,
            "U8" => Element::U8,
            "S4" => Element::S4,
            "U4" => Element::U4,
            _ => return None,
        })
    };
    let (a, b) = (element(F::AType)?, element(F::BType)?);
    let saturate = decoder.flag(F::Sat);
    (a.bits() == b.bits()).then_some((Kind::Whole { saturate }, a, b, Cell::S32))
}

fn bits(decoder: &Decoder<'_>) -> Option<Arithmetic> {
    let operation = match (decoder.text(F::Combine), decoder.text(F::Popc)) {
        ("XOR", "POPC") => BitOperation::Xor,
        ("AND", "POPC") => BitOperation::And,
        _ => return None,
    };
    Some((Kind::Bits(operation), Element::Bits, Element::Bits, Cell::S32))
}

fn double(decoder: &Decoder<'_>) -> Option<Arithmetic> {
    let rounding = match decoder.text(F::Round) {
        "" => Rounding::NearestEven,
        "RM" => Rounding::TowardNegative,
        "RP" => Rounding::TowardPositive,
        "RZ" => Rounding::TowardZero,
        _ => return None,
    };
    Some((Kind::Double(rounding), Element::F64, Element::F64, Cell::F64))
}

fn narrow(decoder: &Decoder<'_>) -> Option<Arithmetic> {
    let element = |field| {
        Some(match decoder.text(field) {
            "E4M3" => Element::E4m3,
            "E5M2" => Element::E5m2,
            "E3M2" => Element::E3m2,
            "E2M3" => Element::E2m3,
            "E2M1" => Element::E2m1InByte,
            _ => return None,
        })
    };
    let (a, b) = (element(F::AType)?, element(F::BType)?);
    Some((Kind::Float { finite: false }, a, b, accumulator(decoder)?))
}

fn scaled(decoder: &Decoder<'_>) -> Option<Arithmetic> {
    let (dot, _) = four_bit_scales(decoder)?;
    Some((Kind::Scaled(dot), Element::E2m1, Element::E2m1, Cell::F32))
}

/// The products of four-bit elements with scales, and how many scales a row has.
fn four_bit_scales(decoder: &Decoder<'_>) -> Option<(ScaledDot, u8)> {
    match (decoder.text(F::ScaleType), decoder.text(F::ScaleVector4x)) {
        ("E8", "") => Some((ScaledDot::MXF4, 2)),
        ("UE4M3", "4X") => Some((ScaledDot::NVF4, 4)),
        _ => None,
    }
}

/// Where scales are. Where A is sparse, `Re` has its metadata, and the next register its scales (observed, ptxas 13.0.88).
fn scale_rows(decoder: &Decoder<'_>) -> Option<ScaleRows> {
    let count = match decoder.instruction.opcode() {
        O::Omma => four_bit_scales(decoder)?.1,
        _ => 1,
    };
    Some(ScaleRows {
        a: decoder.register(F::Re).after(u32::from(decoder.has_literal("SP"))),
        b: decoder.register(F::Rf),
        selector: decoder.register(F::URg),
        count,
    })
}

/// `HMMA.884`.
fn quad_step(decoder: &mut Decoder<'_>) -> Option<Op> {
    let cell = |text| match text {
        "F16" => Some(Cell::F16),
        "F32" => Some(Cell::F32),
        _ => None,
    };
    // The type of D is in the form's name, and where it is f16, that of C.
    let (d, c) = if decoder.has_literal("F32") {
        (Cell::F32, cell(decoder.text(F::Accumulator))?)
    } else {
        (Cell::F16, Cell::F16)
    };
    let by_columns = |field| match decoder.text(field) {
        "ROW" => Some(false),
        "COL" => Some(true),
        _ => None,
    };
    let layouts = Layouts {
        a_by_columns: by_columns(F::ALayout)?,
        b_by_rows: !by_columns(F::BLayout)?,
    };
    let step = match decoder.text(F::Step) {
        "STEP0" => 0,
        "STEP1" => 1,
        "STEP2" if d == Cell::F32 => 2,
        "STEP3" if d == Cell::F32 => 3,
        _ => return None,
    };
    Some(Op::Product(MatrixProduct::Quad(QuadStep {
        generation: generation(decoder.instruction.isa()),
        layouts,
        c,
        d,
        finite: decoder.flag(F::Satfinite),
        step,
        registers: registers(decoder)?,
    })))
}

/// `HGMMA`, `IGMMA`, `QGMMA`, `BGMMA`.
///
/// Of the four uniform registers of `gdesc`, the first two describe A, the others B; where A is in registers, the first two are not used
/// (observed, ptxas 13.0.88).
pub(super) fn group_product(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (kind, a, b, sum) = arithmetic(decoder)?;
    let mut numbers = decoder
        .text(F::Shape)
        .split('x')
        .map(|number| number.parse::<u16>().ok());
    let (Some(Some(64)), Some(Some(columns)), Some(Some(depth)), None) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next())
    else {
        return None;
    };
    let sparse = decoder.has_literal("SP");
    let bits = u32::from(depth) * if a == Element::Bits { 1 } else { a.bits() };
    if bits != if sparse { 512 } else { 256 } || decoder.flag(F::Regoffset) {
        return None;
    }
    let in_registers = decoder.has(F::URb);
    let descriptors = decoder.register(if in_registers { F::URb } else { F::URa });
    let values = decoder.values();
    let signed = |field| values.iter().any(|value| value.field == field && value.negated);
    if values
        .iter()
        .any(|value| value.absolute || value.negated && value.field != F::Ra)
    {
        return None;
    }
    let major = |field| if decoder.flag(field) { Major::Mn } else { Major::K };
    Some(Op::Product(MatrixProduct::Group(GroupMultiply {
        columns,
        depth: if a == Element::Bits { depth / 32 } else { depth },
        elements: [a, b],
        sum,
        kind,
        d: decoder.register(F::Rd),
        a: if in_registers {
            Left::Registers(decoder.register(F::Ra))
        } else {
            Left::Descriptor(descriptors)
        },
        b: descriptors.after(2),
        c: decoder.register(F::Rc),
        accumulate: decoder.test(&[F::UPp]).unwrap_or(Test::ALWAYS),
        metadata: if sparse {
            Some((decoder.register(F::Re), decoder.raw(F::OperandSelector)? as u8))
        } else {
            None
        },
        negate: [decoder.flag(F::Nega) || signed(F::Ra), decoder.flag(F::Negb)],
        majors: [major(F::Tnspa), major(F::Tnspb)],
        commits: decoder.text(F::GroupScoreboard) == "gsb0",
    })))
}
