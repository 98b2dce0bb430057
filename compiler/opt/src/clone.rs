//! Copies of instructions with other operands and blocks.

use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Value};

/// Puts other operands and blocks (successors, and blocks that phis name) into an instruction that is in no function yet.
pub(crate) fn map(
    instruction: &mut Instruction,
    mut value: impl FnMut(Value) -> Value,
    mut block: impl FnMut(BlockId) -> BlockId,
) {
    instruction.for_each_operand_mut(|operand| *operand = value(*operand));
    instruction.for_each_successor_mut(|successor| *successor = block(*successor));
    if let Instruction::Phi { incoming, .. } = instruction {
        for (from, _) in incoming {
            *from = block(*from);
        }
    }
}

/// Gives a copy the name and attachments of what it was copied from.
pub(crate) fn describe(from: &Function, id: InstructionId, to: &mut Function, copy: InstructionId) {
    if let Some(name) = from.name(Value::Instruction(id)) {
        let name = name.to_owned();
        to.set_name(Value::Instruction(copy), &name);
    }
    if let Some(attachments) = from.attachments(id) {
        let attachments = attachments.clone();
        to.update_attachments(copy, |all| *all = attachments);
    }
}

/// As [`describe`], within a function; the copy gets the place in the source too.
pub(crate) fn copy_description(function: &mut Function, id: InstructionId, copy: InstructionId) {
    let location = function.location(id);
    function.set_location(copy, location);
    if let Some(name) = function.name(Value::Instruction(id)) {
        let name = name.to_owned();
        function.set_name(Value::Instruction(copy), &name);
    }
    if let Some(attachments) = function.attachments(id) {
        let attachments = attachments.clone();
        function.update_attachments(copy, |all| *all = attachments);
    }
}
