//! Special registers.

use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    super::{code::Op, special::Special},
    Decoder,
};

/// `S2R`, `S2UR`, `CS2R`, `CS2UR`
pub(super) fn special(decoder: &mut Decoder<'_>) -> Option<Op> {
    let long = matches!(decoder.instruction.opcode(), O::Cs2r | O::Cs2ur);
    Some(Op::Special {
        d: decoder.destination(),
        special: Special::named(decoder.text(F::SpecialRegister))?,
        wide: long && !decoder.flag(F::Narrow),
    })
}
