//! Instructions on textures and surfaces.

use warpsmith_numerics::round::Rounding;
use warpsmith_sass::{FieldKind, FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    super::{
        code::{Constant, Op, Predicate, Row},
        surface::{self, Sign, SurfaceOp},
        texture::{Handle, Kind, Level, NONE, Offset, Register, TextureOp},
    },
    Decoder,
};
use crate::texture::{Boundary, Geometry, Reduction};

/// The number in a register field; RZ where the form lacks it.
fn register(decoder: &Decoder<'_>, name: F) -> Register {
    let is_register = |field: &warpsmith_sass::Field| matches!(field.kind, FieldKind::Register(_));
    let raw = match decoder.form().field(name) {
        Some(field) if is_register(field) => decoder.raw(name),
        Some(_) | None => None,
    };
    raw.map_or(NONE, |raw| raw as u8)
}

/// The register `words` after one, of a tuple.
fn after(first: Register, words: usize) -> Register {
    match first {
        NONE => NONE,
        first => first.saturating_add(u8::try_from(words).unwrap_or(NONE)),
    }
}

fn is_bindless(decoder: &Decoder<'_>) -> bool {
    decoder.has_literal("B") || decoder.text(F::Bindless) == "B"
}

/// The handle, where it is no register of `registers`, the numbers before the mask of `TXQ` being `numbers`: a constant, or uniform registers.
fn bound(decoder: &mut Decoder<'_>, numbers: &[F]) -> Option<Handle> {
    // Indices that are added to the handle, of which ptxas makes no use.
    let has_index = decoder.has(F::URf) && decoder.raw(F::URf) != Some(255);
    if has_index || !decoder.text(F::UniformIndex).is_empty() {
        return None;
    }
    let uniform = decoder.has(F::URe);
    let values: Vec<u64> = numbers.iter().filter_map(|name| decoder.raw(*name)).collect();
    match (uniform, &values[..]) {
        (true, [] | [0]) => Some(Handle::Pair(decoder.register(F::URe))),
        (false, [bank, word]) => {
            let bank = u8::try_from(*bank).ok()?;
            let offset = u32::try_from(*word).ok()?.checked_mul(4)?;
            Some(Handle::One(decoder.constants.row(Constant::Bank { bank, offset })))
        }
        _ => None,
    }
}

/// The operands of a fetch in their order, one register after the other.
struct Sequence {
    a: Register,
    b: Register,
    /// How many are in the first vector.
    first: usize,
    next: usize,
}

impl Sequence {
    fn take(&mut self) -> Register {
        let index = self.next;
        self.next += 1;
        match index.checked_sub(self.first) {
            None => after(self.a, index),
            Some(index) => after(self.b, index),
        }
    }

    fn take_if(&mut self, wanted: bool) -> Register {
        if wanted { self.take() } else { NONE }
    }
}

/// Geometry, whether there is a layer, and the coordinates.
fn geometry(decoder: &Decoder<'_>) -> Option<(Geometry, bool, usize)> {
    let samples = match decoder.text(F::Multisample) {
        "" => false,
        "MS" => true,
        _ => return None,
    };
    Some(match (decoder.text(F::Dimension), samples) {
        ("1D", false) => (Geometry::Line, false, 1),
        ("2D", false) => (Geometry::Plane, false, 2),
        ("2D", true) => (Geometry::Samples, false, 2),
        ("3D", false) => (Geometry::Volume, false, 3),
        ("CUBE", false) => (Geometry::Cube, false, 3),
        ("ARRAY_1D", false) => (Geometry::Lines, true, 1),
        ("ARRAY_2D", false) => (Geometry::Planes, true, 2),
        ("ARRAY_2D", true) => (Geometry::SampleLayers, true, 2),
        ("ARRAY_CUBE", false) => (Geometry::Cubes, true, 3),
        _ => return None,
    })
}

/// Whether there is an offset in a register.
fn has_offset(decoder: &Decoder<'_>) -> Option<bool> {
    match decoder.text(F::OffsetMode) {
        "" => Some(false),
        "AOFFI" => Some(true),
        _ => None,
    }
}

fn halves(decoder: &Decoder<'_>) -> Option<Option<Rounding>> {
    match decoder.text(F::ResultType) {
        "" => Some(None),
        "F16.RN" => Some(Some(Rounding::NearestEven)),
        "F16.RZ" => Some(Some(Rounding::TowardZero)),
        _ => None,
    }
}

/// What a level takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Nothing(Implied),
    Register,
}

/// Levels that take no operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Implied {
    Base,
    Zero,
    Quad,
}

fn wanted_level(decoder: &Decoder<'_>) -> Option<Wanted> {
    Some(match decoder.instruction.opcode() {
        O::Tld4 => Wanted::Nothing(Implied::Base),
        O::Tex => match (decoder.text(F::Lod), decoder.text(F::Derivative)) {
            ("", "") => Wanted::Nothing(Implied::Base),
            ("", "NDV") => Wanted::Nothing(Implied::Quad),
            ("LZ", "") => Wanted::Nothing(Implied::Zero),
            ("LL", "") => Wanted::Register,
            _ => return None,
        },
        O::Tld => match (decoder.text(F::Lod), decoder.text(F::Clamp)) {
            ("LZ", "") => Wanted::Nothing(Implied::Zero),
            // ptxas lets a level that is not there be the last one.
            ("LL", "CL") => Wanted::Register,
            _ => return None,
        },
        _ => return None,
    })
}

fn channel(decoder: &Decoder<'_>) -> Option<Kind> {
    if decoder.instruction.opcode() != O::Tld4 {
        return Some(Kind::Fetch);
    }
    Some(Kind::Gather(match decoder.text(F::Component) {
        "R" => 0,
        "G" => 1,
        "B" => 2,
        "A" => 3,
        _ => return None,
    }))
}

/// `TEX`, `TLD`, `TLD4`
pub(super) fn fetch(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (geometry, has_layer, coordinates) = geometry(decoder)?;
    let (has_offset, wanted) = (has_offset(decoder)?, wanted_level(decoder)?);
    let has_sample = matches!(geometry, Geometry::Samples | Geometry::SampleLayers);
    let has_reference = match decoder.text(F::DepthCompare) {
        "" => false,
        "DC" => true,
        _ => return None,
    };
    let bindless = is_bindless(decoder);
    let own = usize::from(has_layer) + coordinates;
    let has_level = wanted == Wanted::Register;
    let arguments = [bindless, has_level, has_offset, has_sample, has_reference];
    let all = own + arguments.iter().filter(|has| **has).count();
    let mut sequence = Sequence {
        a: register(decoder, F::Ra),
        b: register(decoder, F::Rb),
        first: if decoder.has_literal("SCR") {
            all.div_ceil(2)
        } else {
            own
        },
        next: 0,
    };
    let layer = sequence.take_if(has_layer);
    let position = [0, 1, 2].map(|axis| sequence.take_if(axis < coordinates));
    let handle = sequence.take_if(bindless);
    let handle = match bindless {
        true if decoder.has(F::Imm) || decoder.has(F::URe) => return None,
        true => Handle::One(Row::register(handle)),
        false => bound(decoder, &[F::Imm, F::Imm2, F::Imm3])?,
    };
    let whole = decoder.instruction.opcode() == O::Tld;
    // TLD of sm_120 has a texture alone in one uniform register (`isa-tables/texture_surface.isa`).
    let handle = match handle {
        Handle::Pair(row) if whole && decoder.instruction.isa() == Isa::Sm120 => Handle::One(row),
        handle => handle,
    };
    let level = match wanted {
        Wanted::Nothing(Implied::Base) => Level::Base,
        Wanted::Nothing(Implied::Zero) => Level::Zero,
        Wanted::Nothing(Implied::Quad) => Level::Quad,
        Wanted::Register if whole => Level::Whole(sequence.take()),
        Wanted::Register => Level::Real(sequence.take()),
    };
    let kind = channel(decoder)?;
    let offset = has_offset.then(|| Offset {
        register: sequence.take(),
        first: 0,
        step: if matches!(kind, Kind::Gather(_)) { 8 } else { 4 },
    });
    let sample = sequence.take_if(has_sample);
    Some(Op::Texture(TextureOp {
        kind,
        handle,
        geometry,
        layer,
        position,
        whole,
        level,
        offset,
        sample,
        compare: has_reference.then(|| sequence.take()),
        mask: decoder.raw(F::ComponentMask)? as u8,
        halves: halves(decoder)?,
        d: [F::Rd, F::Rc].map(|name| register(decoder, name)),
        missing: decoder.predicate(&[F::Pu]),
    }))
}

/// `TXD`
pub(super) fn slopes(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (geometry, has_layer, coordinates) = geometry(decoder)?;
    let has_offset = has_offset(decoder)?;
    if !decoder.text(F::LodClamp).is_empty() || !decoder.text(F::Lod).is_empty() {
        return None;
    }
    let bindless = is_bindless(decoder);
    let (a, b) = (register(decoder, F::Ra), register(decoder, F::Rb));
    let handle = match bindless {
        true if decoder.has(F::Imm) || decoder.has(F::URe) => return None,
        true => Handle::One(Row::register(a)),
        false => bound(decoder, &[F::Imm, F::Imm2, F::Imm3])?,
    };
    let a = after(a, usize::from(bindless));
    let axis = |first: Register, index: usize, step: usize| match index < coordinates {
        true => after(first, index * step),
        false => NONE,
    };
    let packed = after(a, coordinates);
    Some(Op::Texture(TextureOp {
        kind: Kind::Fetch,
        handle,
        geometry,
        layer: if has_layer { packed } else { NONE },
        position: [0, 1, 2].map(|index| axis(a, index, 1)),
        whole: false,
        level: Level::Slopes([0, 1].map(|along| [0, 1, 2].map(|index| axis(after(b, along), index, 2)))),
        offset: has_offset.then_some(Offset {
            register: packed,
            first: 16,
            step: 4,
        }),
        sample: NONE,
        compare: None,
        mask: decoder.raw(F::ComponentMask)? as u8,
        halves: halves(decoder)?,
        d: [F::Rd, F::Rc].map(|name| register(decoder, name)),
        missing: decoder.predicate(&[F::Pu]),
    }))
}

/// `TXQ` of sizes.
pub(super) fn query(decoder: &mut Decoder<'_>) -> Option<Op> {
    if decoder.text(F::Query) != "TEX_HEADER_DIMENSION" {
        return None;
    }
    let bindless = is_bindless(decoder);
    let a = register(decoder, F::Ra);
    // The last number is the mask.
    let (numbers, mask): (&[F], F) = match decoder.form_name() {
        "R_R_R_S_I" | "B.R_R_R_S_I" if bindless => (&[], F::Imm),
        "R_R_R_S_I_I_I" if !bindless => (&[F::Imm, F::Imm2], F::Imm3),
        "R_R_R_S_UR_I_I" => (&[F::Imm], F::Imm2),
        "R_R_R_S_UR_0x0_I" => (&[], F::Imm),
        _ => return None,
    };
    let handle = match bindless {
        true => Handle::One(Row::register(a)),
        false => bound(decoder, numbers)?,
    };
    let mask = decoder.raw(mask)? as u8;
    // Of the fourth, ptxas makes no use.
    if mask & 8 != 0 {
        return None;
    }
    Some(Op::Texture(TextureOp {
        kind: Kind::Query(after(a, usize::from(bindless))),
        handle,
        geometry: Geometry::Line,
        layer: NONE,
        position: [NONE; 3],
        whole: true,
        level: Level::Zero,
        offset: None,
        sample: NONE,
        compare: None,
        mask,
        halves: None,
        d: [F::Rd, F::Rc].map(|name| register(decoder, name)),
        missing: Predicate::TRUE,
    }))
}

/// Geometry and coordinates of a surface.
fn spot(decoder: &Decoder<'_>) -> Option<(Geometry, [Register; 3], Register)> {
    let a = register(decoder, F::Ra);
    let at = |count| [0, 1, 2].map(|axis| if axis < count { after(a, axis) } else { NONE });
    Some(match decoder.text(F::Dimension) {
        "1D" | "1D_BUFFER" => (Geometry::Line, at(1), NONE),
        "2D" => (Geometry::Plane, at(2), NONE),
        "3D" => (Geometry::Volume, at(3), NONE),
        "1D_ARRAY" => (Geometry::Lines, at(1), after(a, 1)),
        "2D_ARRAY" => (Geometry::Planes, at(2), after(a, 2)),
        _ => return None,
    })
}

/// Bytes of an access, and whether they are a signed number.
fn size(decoder: &Decoder<'_>) -> Option<(u8, bool)> {
    Some(match decoder.text(F::Size) {
        "U8" => (1, false),
        "S8" => (1, true),
        "U16" => (2, false),
        "S16" => (2, true),
        "" => (4, false),
        "64" => (8, false),
        "128" => (16, false),
        _ => return None,
    })
}

fn reduction(decoder: &Decoder<'_>, b: Register) -> Option<surface::Kind> {
    let reduction = match decoder.text(F::Operation) {
        "ADD" => Reduction::Add,
        "MIN" => Reduction::Minimum,
        "MAX" => Reduction::Maximum,
        "AND" => Reduction::And,
        "OR" => Reduction::Or,
        _ => return None,
    };
    let (bytes, signed) = match decoder.text(F::Type) {
        "" => (4, Sign::Unsigned),
        "S32" => (4, Sign::Signed),
        "U64" => (8, Sign::Unsigned),
        "S64" => (8, Sign::Signed),
        "SD32" => (4, Sign::OfTexels),
        "SD64" => (8, Sign::OfTexels),
        _ => return None,
    };
    // Without .BA the texels have the type (observed, ptxas 13.0.88: `sured.p`).
    let by_byte = decoder.text(F::ByteAddress) == "BA";
    let signed = if by_byte { signed } else { Sign::OfTexels };
    Some(surface::Kind::Reduce {
        b,
        bytes,
        reduction,
        signed,
    })
}

/// `SULD`, `SUST`, `SURED`
pub(super) fn surface(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (geometry, at, layer) = spot(decoder)?;
    let b = register(decoder, F::Rb);
    let by_byte = decoder.text(F::ByteAddress) == "BA";
    let kind = match (decoder.instruction.opcode(), decoder.has_literal("P")) {
        (O::Suld, false) if by_byte && decoder.predicate(&[F::Pu]) == Predicate::TRUE => {
            let (bytes, signed) = size(decoder)?;
            let d = register(decoder, F::Rd);
            surface::Kind::Load { d, bytes, signed }
        }
        (O::Sust, false) if by_byte => {
            let (bytes, _) = size(decoder)?;
            surface::Kind::Store { b, bytes }
        }
        (O::Sust, true) => {
            let channels = match decoder.raw(F::ComponentMask)? {
                1 => 1,
                3 => 2,
                15 => 4,
                _ => return None,
            };
            surface::Kind::StoreFormatted { b, channels }
        }
        (O::Sured, _) => reduction(decoder, b)?,
        _ => return None,
    };
    let boundary = match decoder.text(F::Clamp) {
        "" => Boundary::Clamp,
        "IGN" => Boundary::Zero,
        "TRAP" => Boundary::Trap,
        _ => return None,
    };
    let handle = match (decoder.has(F::Rc), decoder.has(F::URe)) {
        (true, true) => return None,
        (true, false) if decoder.has(F::URf) && decoder.raw(F::URf) != Some(255) => return None,
        (true, false) if !decoder.text(F::UniformIndex).is_empty() => return None,
        (true, false) => Handle::One(decoder.register(F::Rc)),
        (false, _) => match bound(decoder, &[F::Imm, F::Imm2, F::Imm3])? {
            Handle::Pair(row) | Handle::One(row) => Handle::One(row),
        },
    };
    Some(Op::Surface(SurfaceOp {
        kind,
        handle,
        geometry,
        at,
        layer,
        by_texel: !by_byte,
        boundary,
    }))
}
