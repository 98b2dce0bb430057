//! Values that are copied to a word of a pair and read elsewhere too: they are made in the pair.
//!
//! Sums and products of two singles read pairs. Where each of the two values has other readers, a copy of it would be live beside it, and register
//! allocation, which joins registers that are not live at once, keeps both. If the value is made in its word of the pair, and all read it there, there is
//! one. It stays in its block, so that the pair is not wanted for longer than the values are.

use warpsmith_sass::{Access, RegisterClass};

use super::values::{Values, is_pinned};
use crate::{
    allocate::copy_of,
    ir::{Function, Register},
    phase::Context,
    select::Word,
};

/// Makes values in the pairs that they are copied to.
pub(crate) fn make_in_pairs(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let of_pair = |(to, _): ((u32, u8), (u32, u8))| function.info(Register(to.0)).words == 2;
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    if !code.any(|instruction| copy_of(instruction).is_some_and(of_pair)) {
        return Ok(());
    }
    let values = Values::of(function);
    // For each register of one word, the word of a pair that it is.
    let mut place: Vec<Option<Word>> = vec![None; function.registers.len()];
    let mut gone = vec![false; values.instructions()];
    for block in 0..function.blocks.len() {
        for (at, instruction) in function.blocks[block].code.iter().enumerate() {
            let Some(((to, word), (from, 0))) = copy_of(instruction).filter(|_| instruction.guard.is_none()) else {
                continue;
            };
            let (to, from) = (Register(to).word(word), Register(from));
            let fits = place[from.0 as usize].is_none()
                && function.info(to.register).words == 2
                && values.is_value(values.word(to.register, to.word))
                && is_local(function, &values, from, block);
            if fits && context.fuel.take() {
                place[from.0 as usize] = Some(to);
                gone[values.number(block, at) as usize] = true;
            }
        }
    }
    let mut number = 0;
    for block in &mut function.blocks {
        block.code.retain(|_| {
            number += 1;
            !gone[number - 1]
        });
    }
    let code = function.blocks.iter_mut().flat_map(|block| &mut block.code);
    for operand in code.flat_map(|instruction| &mut instruction.operands) {
        if let Some(to) = place[operand.register.0 as usize] {
            (operand.register, operand.word) = (to.register, to.word);
        }
    }
    Ok(())
}

/// Whether a register is one value of a word that its block alone makes and reads, more than once, by operands.
fn is_local(function: &Function, values: &Values, register: Register, block: usize) -> bool {
    let word = values.word(register, 0);
    let info = function.info(register);
    let Some(definition) = values.definition(word) else {
        return false;
    };
    let touches_by_operand = |number: u32| {
        let mut touches = values.instruction(function, number).touches();
        values.block_of(number) == block
            && touches
                .all(|touch| touch.register != register || touch.field.is_some() && touch.access != Access::ReadWrite)
    };
    info.words == 1
        && info.class == RegisterClass::Gpr
        && !is_pinned(function, register)
        && values.uses(word).len() > 1
        && touches_by_operand(definition)
        && values.uses(word).iter().all(|number| touches_by_operand(*number))
}
