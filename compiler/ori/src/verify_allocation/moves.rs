//! Instructions that move predicates: uniform ones to predicates and back, and such to bits of words and back.

use warpsmith_sass::{FieldName, Instruction, RegisterOperand};

use crate::ir::Touch;

/// Whether a vote gives what its only operand has in any thread.
pub(super) fn is_vote_of(base: &Instruction, from: &Touch) -> bool {
    let plain = |r: &RegisterOperand| Some(r.name) != from.field || !r.inverted;
    base.form().name == "UP_P"
        && crate::select::printed(base, FieldName::Mode) == "ANY"
        && base.registers().all(|register| plain(&register))
}

/// Whether three-input logic gives its uniform operand: the conjunction with two that are true.
pub(super) fn is_copy_of_uniform(base: &Instruction, from: &Touch) -> bool {
    /// The table of the conjunction.
    const ALL: u64 = 0x80;
    let read = |field: FieldName| matches!(field, FieldName::Pp | FieldName::Pq | FieldName::UPr);
    base.form().name == "LUT.P_P_P_P_UP_I_I"
        && base.field(FieldName::Imm) == Some(ALL)
        && from.field == Some(FieldName::UPr)
        && base
            .registers()
            .filter(|register| read(register.name))
            .all(|register| !register.inverted)
}

/// Whether three-input logic puts bits of its last operand, which has no others, in place of bits of the first: those of the immediate between them.
pub(super) fn merges_bit(base: &Instruction) -> bool {
    /// `a & !b | c`
    const MERGE: u64 = 0xba;
    base.form().name == "LUT.R_R_I_R_I_P" && base.field(FieldName::Imm2) == Some(MERGE)
}

/// Whether three-input logic only says whether one bit of its first operand is set: the one of the immediate.
pub(super) fn tests_bit(base: &Instruction) -> bool {
    /// `a & b`
    const AND: u64 = 0xc0;
    let bit = base.field(FieldName::Imm).is_some_and(|mask| mask.is_power_of_two());
    let nothing_else = base.registers().any(|r| r.name == FieldName::Pp && r.inverted);
    base.form().name == "LUT.R_R_I_R_I_P" && base.field(FieldName::Imm2) == Some(AND) && bit && nothing_else
}
