//! Instructions that move uniform predicates to predicates and back.

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
