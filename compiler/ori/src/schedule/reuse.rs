//! Operand reuse flags: an operand that the next instruction reads again in the same place need not be read from the register file twice.
//!
//! Only that plain case is used: the two stand side by side, the first is executed in any case and does not write the register. ptxas goes farther and
//! sets the flag across other instructions; what then keeps the value is not known.

use warpsmith_sass::{FieldKind, Instruction as Word, RegisterClass};

use super::facts::Facts;

/// The lowest flag in a word.
const FIRST: u8 = 122;
/// Operands that have a flag of their own.
const SLOTS: u8 = 4;

/// The reuse flags of an instruction that is followed by another.
pub(super) fn flags(facts: &Facts, next: &Facts) -> u8 {
    if facts.is_guarded || facts.word.isa() != next.word.isa() {
        return 0;
    }
    let usable = facts.word.form().control.reuse_flags() & facts.timing.reuse & next.word.form().control.reuse_flags();
    let again = |slot: &u8| {
        let Some((register, width)) = operand(&facts.word, *slot) else {
            return false;
        };
        let mut written = facts.writes.iter().filter(|write| write.class == RegisterClass::Gpr);
        let kept =
            written.all(|write| !(u16::from(register)..u16::from(register) + u16::from(width)).contains(&write.index));
        kept && operand(&next.word, *slot) == Some((register, width))
    };
    (0..SLOTS)
        .filter(|slot| usable >> slot & 1 != 0)
        .filter(again)
        .fold(0, |flags, slot| flags | 1 << slot)
}

/// The register and width of the operand whose flag is this one.
fn operand(word: &Word, slot: u8) -> Option<(u8, u8)> {
    let field = word.form().fields.iter().find(|field| match &field.kind {
        FieldKind::Register(register) => register.decoration.reuse == Some(FIRST + slot),
        _ => false,
    })?;
    let described = word.register_fields().find(|described| described.name == field.name)?;
    Some((word.register_number(described)?, word.register_width(described)))
}
