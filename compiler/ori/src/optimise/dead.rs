//! Dead code: what no effect depends on.
//!
//! From the instructions that must stay, what they read is needed, and with a word every definition of it. After [webs](super::webs) are apart that is
//! exact but for variables that are overwritten unread; each instruction and each word is looked at once.

use warpsmith_sass::{MemoryEffect, MemorySpace, Opcode};

use super::values::{Lists, is_pinned};
use crate::{
    allocate::touches::{Touched, Touches},
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// Removes instructions whose results nobody needs.
pub(crate) fn remove_dead(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    let touches = Touches::of(function);
    let mut first = Vec::with_capacity(function.registers.len());
    let mut words = 0;
    for register in &function.registers {
        first.push(words);
        words += usize::from(register.words);
    }
    let range = |touch: &Touched| {
        let from = first[touch.register as usize] + usize::from(touch.word);
        from..from + usize::from(touch.words)
    };
    let pinned: Vec<bool> = (0..function.registers.len())
        .map(|index| is_pinned(function, Register(index as u32)))
        .collect();
    let count = touches.instructions();
    let mut needed = vec![false; count];
    let mut work = Vec::new();
    let mut definitions: Vec<(u32, u32)> = Vec::new();
    let code = function.blocks.iter().flat_map(|block| &block.code);
    for (number, instruction) in code.enumerate() {
        let mut stays = !may_go(instruction);
        for touch in touches.at(number).iter().filter(|touch| touch.writes) {
            stays |= pinned[touch.register as usize];
            definitions.extend(range(touch).map(|word| (word as u32, number as u32)));
        }
        if stays {
            needed[number] = true;
            work.push(number as u32);
        }
    }
    let definitions = Lists::of(words, &definitions);
    let mut wanted = vec![false; words];
    while let Some(number) = work.pop() {
        for touch in touches.at(number as usize).iter().filter(|touch| touch.reads) {
            for word in range(touch) {
                if std::mem::replace(&mut wanted[word], true) {
                    continue;
                }
                for definition in definitions.get(word) {
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
