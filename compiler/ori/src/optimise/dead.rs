//! Dead code: what no effect depends on.
//!
//! From the instructions that must stay, what they read is needed, and with a word every definition of it. After [webs](super::webs) are apart that is
//! exact but for variables that are overwritten unread; each instruction and each word is looked at once.

use warpsmith_sass::{Access, FieldName, MemoryEffect, MemorySpace, Opcode};

use super::values::{Lists, adds_in_place, is_pinned};
use crate::{
    ir::{Function, Instruction, Register, Touch},
    phase::Context,
};

/// Removes instructions whose results nobody needs.
pub(crate) fn remove_dead(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    let needed = needed(function);
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

/// For each instruction, whether something that stays depends on it.
fn needed(function: &Function) -> Vec<bool> {
    let mut first = Vec::with_capacity(function.registers.len());
    let mut words = 0;
    for register in &function.registers {
        first.push(words);
        words += usize::from(register.words);
    }
    let range = |touch: &Touch| {
        let from = first[touch.register.0 as usize] + usize::from(touch.word);
        from..from + usize::from(touch.words)
    };
    let pinned: Vec<bool> = (0..function.registers.len())
        .map(|index| is_pinned(function, Register(index as u32)))
        .collect();
    let code: Vec<&Instruction> = function.blocks.iter().flat_map(|block| &block.code).collect();
    let mut needed = vec![false; code.len()];
    let mut work = Vec::new();
    let mut definitions: Vec<(u32, u32)> = Vec::with_capacity(2 * code.len());
    for (number, instruction) in code.iter().enumerate() {
        let mut stays = !may_go(instruction);
        instruction
            .touches()
            .filter(|touch| touch.access != Access::Read)
            .for_each(|touch| {
                stays |= pinned[touch.register.0 as usize];
                range(&touch).for_each(|word| definitions.push((word as u32, number as u32)));
            });
        if stays {
            needed[number] = true;
            work.push(number as u32);
        }
    }
    let definitions = Lists::of(words, &definitions);
    let mut wanted = vec![false; words];
    while let Some(number) = work.pop() {
        let instruction = code[number as usize];
        let in_place = adds_in_place(instruction);
        let reads = |touch: &Touch| touch.access != Access::Write || in_place && touch.field == Some(FieldName::Rd);
        instruction.touches().filter(reads).for_each(|touch| {
            for word in range(&touch) {
                if std::mem::replace(&mut wanted[word], true) {
                    continue;
                }
                for definition in definitions.get(word) {
                    if !std::mem::replace(&mut needed[*definition as usize], true) {
                        work.push(*definition);
                    }
                }
            }
        });
    }
    needed
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
