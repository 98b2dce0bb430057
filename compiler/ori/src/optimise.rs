//! Copies and dead code.

use warpsmith_sass::{Access, FieldKind, MemorySpace, Opcode, RegisterClass};

use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
    liveness::Liveness,
};

/// A word of a register.
type Place = (Register, u8);

/// Within each block, reads of a copy become reads of what was copied, as long as both hold the same.
pub(crate) fn propagate_copies(function: &mut Function) {
    for index in 0..function.blocks.len() {
        let mut copies: Vec<(Place, Place)> = Vec::new();
        let mut code = std::mem::take(&mut function.blocks[index].code);
        for instruction in &mut code {
            replace_reads(instruction, &copies);
            let written: Vec<(Register, u8, u8)> = instruction
                .touches()
                .filter(|touch| touch.access != Access::Read)
                .map(|touch| (touch.register, touch.word, touch.words))
                .collect();
            let touched = |place: &Place| {
                written
                    .iter()
                    .any(|(register, word, words)| place.0 == *register && (*word..word + words).contains(&place.1))
            };
            copies.retain(|(to, from)| !touched(to) && !touched(from));
            if let Some((to, from)) = copy(instruction)
                && to != from
                && function.info(from.0).class == RegisterClass::Gpr
            {
                copies.push((to, from));
            }
        }
        function.blocks[index].code = code;
    }
}

/// What a plain `MOV` of one register copies: to and from.
fn copy(instruction: &Instruction) -> Option<(Place, Place)> {
    if instruction.base.opcode() != Opcode::Mov || instruction.guard.is_some() || instruction.base.form().name != "R_R"
    {
        return None;
    }
    let [a, b] = instruction.operands[..] else {
        return None;
    };
    let (to, from) = if a.field == warpsmith_sass::FieldName::Rd {
        (a, b)
    } else {
        (b, a)
    };
    Some(((to.register, to.word), (from.register, from.word)))
}

/// Replaces reads of single words. Operands of several words stay: their parts may come from different places.
fn replace_reads(instruction: &mut Instruction, copies: &[(Place, Place)]) {
    if copies.is_empty() {
        return;
    }
    let single: Vec<_> = instruction
        .touches()
        .filter(|touch| touch.access == Access::Read && touch.words == 1 && touch.alignment <= 1)
        .filter_map(|touch| touch.field)
        .collect();
    for operand in &mut instruction.operands {
        let is_register = instruction
            .base
            .form()
            .field(operand.field)
            .is_some_and(|field| matches!(&field.kind, FieldKind::Register(r) if r.class == RegisterClass::Gpr));
        if !is_register || !single.contains(&operand.field) {
            continue;
        }
        if let Some((_, from)) = copies.iter().find(|(to, _)| *to == (operand.register, operand.word)) {
            (operand.register, operand.word) = *from;
        }
    }
}

/// Empties the blocks that control never reaches.
pub(crate) fn remove_unreached(function: &mut Function) {
    let flow = ControlFlow::of(function);
    for (block, _) in function
        .blocks
        .iter_mut()
        .zip(&flow.reached)
        .filter(|(_, reached)| !**reached)
    {
        block.code.clear();
    }
}

/// Removes instructions whose results nobody reads.
pub(crate) fn remove_dead(function: &mut Function) {
    loop {
        let liveness = Liveness::of(function);
        let mut removed = false;
        for index in 0..function.blocks.len() {
            let mut live = liveness.out[index].clone();
            let mut kept: Vec<Instruction> = Vec::new();
            for instruction in std::mem::take(&mut function.blocks[index].code).into_iter().rev() {
                let needed = !may_go(&instruction)
                    || instruction
                        .touches()
                        .filter(|touch| touch.access != Access::Read)
                        .any(|touch| {
                            (0..touch.words).any(|w| live.contains(liveness.word(touch.register, touch.word + w)))
                        });
                if needed {
                    liveness.step(&mut live, &instruction);
                    kept.push(instruction);
                } else {
                    removed = true;
                }
            }
            kept.reverse();
            function.blocks[index].code = kept;
        }
        if !removed {
            return;
        }
    }
}

/// Whether an instruction has no effect but its results.
fn may_go(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    let reads_constants_only = base.memory().iter().all(|access| access.space == MemorySpace::Constant);
    !base.has_side_effects() && reads_constants_only && base.opcode() != Opcode::Nop
}
