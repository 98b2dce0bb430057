//! Loads and stores.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{
        code::{Op, Row},
        memory::{Access, Address, Kind, Space},
    },
    Decoder,
};

/// `LD`, `LDG`, `LDS`, `LDL`, `ST`, `STG`, `STS`, `STL`.
pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Op> {
    let (kind, space) = match decoder.instruction.opcode() {
        O::Ld => (Kind::Load, Space::Generic),
        O::Ldg => (Kind::Load, Space::Global),
        O::Lds => (Kind::Load, Space::Shared),
        O::Ldl => (Kind::Load, Space::Local),
        O::St => (Kind::Store, Space::Generic),
        O::Stg => (Kind::Store, Space::Global),
        O::Sts => (Kind::Store, Space::Shared),
        O::Stl => (Kind::Store, Space::Local),
        _ => return None,
    };
    let (bytes, signed) = size(decoder)?;
    // Loads that also give a predicate or take one, and those of several registers by mask, are not known well enough.
    let plain = |name| {
        decoder
            .test(&[name])
            .is_none_or(|test| test.predicate.0 == 7 && !test.negated)
    };
    if !plain(F::Pu) || !plain(F::Pl) || decoder.has(F::Mask) && decoder.raw(F::Mask) != Some(255) {
        return None;
    }
    let data = match kind {
        Kind::Load => F::Rd,
        Kind::Store => F::Rb,
    };
    Some(Op::Memory(Access {
        kind,
        space,
        address: address(decoder)?,
        bytes,
        signed,
        data: decoder.register(data),
        strong: is_strong(decoder),
    }))
}

/// Bytes of an access, and whether it extends the sign.
pub(super) fn size(decoder: &Decoder<'_>) -> Option<(u8, bool)> {
    Some(match decoder.text(F::Size) {
        "" | "32" => (4, false),
        "U8" => (1, false),
        "S8" => (1, true),
        "U16" => (2, false),
        "S16" => (2, true),
        "64" => (8, false),
        "128" | "U.128" => (16, false),
        _ => return None,
    })
}

/// Whether the access is ordered or volatile: a thread may wait by it.
fn is_strong(decoder: &Decoder<'_>) -> bool {
    !matches!(decoder.text(F::Ordering), "" | "CONSTANT" | "WEAK") || decoder.text(F::Scope).contains("STRONG")
}

/// The address operand, which the form's name describes: `A` a register, `A64` a pair, `AU` a register and a uniform register, `A64U` and `A32U` a
/// pair or register and a uniform pair, `ABS` a number, `D` a pair behind a descriptor.
pub(super) fn address(decoder: &Decoder<'_>) -> Option<Address> {
    let (_, operands) = decoder
        .form_name()
        .rsplit_once('.')
        .unwrap_or(("", decoder.form_name()));
    let kind = operands.split('_').find(|kind| kind.starts_with('A') || *kind == "D")?;
    let extended = decoder.flag(F::Address64) || decoder.form_name().starts_with("E.");
    let (wide, has_uniform, uniform_wide) = match kind {
        "A" => (extended, false, false),
        "A64" | "D" => (true, false, false),
        "A64U" => (true, true, true),
        "A32U" => (false, true, true),
        "AU" => (false, true, extended),
        "ABS" => (false, false, false),
        _ => return None,
    };
    let uniform = [F::URb, F::URc].into_iter().find(|field| decoder.has(*field));
    Some(Address {
        base: decoder.register(F::Ra),
        wide,
        shift: match decoder.text(F::Scale) {
            "" => 0,
            "X4" => 2,
            "X8" => 3,
            "X16" => 4,
            _ => return None,
        },
        uniform: match uniform {
            Some(field) if has_uniform => decoder.register(field),
            None if has_uniform => return None,
            Some(_) | None => Row::UNIFORM_ZERO,
        },
        uniform_wide,
        offset: decoder
            .number(F::Offset)
            .or_else(|| decoder.number(F::Address))
            .unwrap_or(0),
    })
}
