//! Dead code: what no effect depends on.
//!
//! From the instructions that must stay, what they read is needed, and with a word every definition of it. After [webs](super::webs) are apart that is
//! exact but for variables that are overwritten unread; each instruction and each word is looked at once.

use warpsmith_sass::{Access, MemoryEffect, MemorySpace, Opcode};

use super::values::{Values, is_pinned};
use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// Removes instructions whose results nobody needs.
pub(crate) fn remove_dead(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    let values = Values::of(function);
    let pinned: Vec<bool> = (0..function.registers.len())
        .map(|index| is_pinned(function, Register(index as u32)))
        .collect();
    let mut needed = vec![false; values.instructions()];
    let mut wanted = vec![false; values.words()];
    let mut work = Vec::new();
    let mut number = 0;
    for block in &function.blocks {
        for instruction in &block.code {
            let stays = !may_go(instruction)
                || instruction
                    .touches()
                    .any(|t| t.access != Access::Read && pinned[t.register.0 as usize]);
            if stays {
                needed[number as usize] = true;
                work.push(number);
            }
            number += 1;
        }
    }
    while let Some(number) = work.pop() {
        for touch in values.instruction(function, number).touches() {
            if touch.access == Access::Write {
                continue;
            }
            for word in touch.word..touch.word + touch.words {
                let word = values.word(touch.register, word);
                if std::mem::replace(&mut wanted[word], true) {
                    continue;
                }
                for definition in values.definitions(word) {
                    if !std::mem::replace(&mut needed[*definition as usize], true) {
                        work.push(*definition);
                    }
                }
            }
        }
    }
    if needed.contains(&false) {
        let mut number = 0;
        for block in &mut function.blocks {
            block.code.retain(|_| {
                number += 1;
                needed[number - 1]
            });
        }
    }
    Ok(())
}

/// Whether an instruction has no effect but its results.
pub(crate) fn may_go(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    !base.has_side_effects()
        && base.opcode() != Opcode::Nop
        && base.memory().iter().all(|access| access.space == MemorySpace::Constant)
        || is_weak_load(instruction)
}

/// Whether an instruction reads memory weakly: no other thread needs to see that it did.
pub(crate) fn is_weak_load(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    instruction.marks.weak
        && matches!(base.opcode(), Opcode::Ldg | Opcode::Ld | Opcode::Lds | Opcode::Ldl)
        && !base.has_side_effects()
        && base
            .memory()
            .iter()
            .all(|access| access.effect == MemoryEffect::Read && !access.asynchronous)
}
