//! Copies of variables of which nothing is needed once the variable is written again.
//!
//! A front end copies a variable of a loop where it makes a wider value of it, or keeps it beside its next value. As long as nothing writes the variable before
//! the last reader of the copy, that reads the variable as well. It comes after the rules: to them a copy is a value, and a variable is not.

use warpsmith_sass::{Opcode as O, RegisterClass};

use super::{operands::copied, rewriter::Rewriter};
use crate::{
    ir::{Function, Operand},
    phase::Context,
    select::{Value, Word},
};

/// Puts variables in the place of their copies.
pub(super) fn read_variables(function: &mut Function, context: &Context<'_>) {
    let mut rewriter = Rewriter::new(function, context);
    for number in rewriter.order() {
        rewriter.current = number;
        uncopy(&mut rewriter, number);
    }
    rewriter.finish();
}

/// At a copy of a variable: its readers read the variable, and the copy goes.
fn uncopy(rewriter: &mut Rewriter<'_>, number: u32) -> Option<()> {
    let instruction = rewriter.instruction(number);
    if instruction.base.opcode() != O::Mov {
        return None;
    }
    let Value::Register(from) = copied(instruction)? else {
        return None;
    };
    let to = instruction
        .operands
        .iter()
        .find(|operand| operand.register != from.register)?;
    let to: Word = to.register.word(to.word);
    let is_general = |word: Word| {
        let info = rewriter.function.info(word.register);
        info.class == RegisterClass::Gpr && info.fixed.is_none()
    };
    // A word of a wider register is there for the sake of its place.
    let is_alone = rewriter.function.info(to.register).words == 1;
    if !is_alone || !is_general(from) || !is_general(to) || rewriter.is_value(from) {
        return None;
    }
    let readers = rewriter.readers(to)?;
    let last = readers.iter().copied().max()?;
    let follow = readers.iter().all(|reader| *reader > number);
    if !follow || !rewriter.is_unchanged_between(number, last, from) || !rewriter.context.fuel.take() {
        return None;
    }
    for reader in readers {
        let mut changed = rewriter.instruction(reader).clone();
        let reads = |operand: &&mut Operand| (operand.register, operand.word) == (to.register, to.word);
        for operand in changed.operands.iter_mut().filter(reads) {
            (operand.register, operand.word) = (from.register, from.word);
        }
        rewriter.replace(reader, changed);
    }
    rewriter.remove(number);
    Some(())
}
