//! `r = a; @p r = b` of constants is one choice, `r = p ? b : a`: a value with one definition, which comparisons see through. Assembly that asks which thread is
//! elected is written so.

use warpsmith_sass::{Access, FieldName as F, Opcode as O};

use super::operands::constant_moved;
use crate::{
    ir::{Function, Instruction},
    phase::Context,
    select::{Request, Test, Value, Word},
};

/// How far apart the two moves may be.
const NEAR: usize = 16;

/// Puts choices in the place of guarded moves over constants; one of the two is zero.
pub(super) fn choose(function: &mut Function, context: &Context<'_>) {
    for block in 0..function.blocks.len() {
        let mut at = 0;
        while at < function.blocks[block].code.len() {
            let code = &function.blocks[block].code;
            let made = choice(code, at).and_then(|(first, choice)| {
                let instruction = context.selector.replacement(function, &code[at], &choice)?;
                Some((first, instruction))
            });
            match made.filter(|_| context.fuel.take()) {
                Some((first, instruction)) => {
                    let code = &mut function.blocks[block].code;
                    code[at] = instruction;
                    // Nobody reads what it gave.
                    code.remove(first);
                }
                None => at += 1,
            }
        }
    }
}

/// The choice that a guarded move is with one before it, and where that stands.
fn choice(code: &[Instruction], at: usize) -> Option<(usize, Request)> {
    let guard = code[at].guard?;
    let chosen = constant_moved(&code[at])?;
    let to = written(&code[at])?;
    let first = touched_before(code, at, to, |_| true).filter(|first| written(&code[*first]) == Some(to))?;
    let other = held_by(code, first)?;
    let test = Test {
        register: Some(guard.register),
        negated: guard.negated,
    };
    // The form has a register, or zero, first.
    let (value, zero) = match (chosen, other) {
        (0, other) => (other, test),
        (chosen, 0) => (chosen, test.opposite()),
        _ => return None,
    };
    let choice = Request::new(O::Sel).to(to).from(Value::Zero);
    let choice = choice.from(super::commute::number(value)).when(F::Pp, zero);
    Some((first, choice))
}

/// The last instruction before one that touches a word in a way that counts.
fn touched_before(code: &[Instruction], at: usize, word: Word, counts: impl Fn(Access) -> bool) -> Option<usize> {
    let is_it = |touch: crate::ir::Touch| {
        let range = touch.word..touch.word + touch.words;
        touch.register == word.register && range.contains(&word.word) && counts(touch.access)
    };
    let mut before = (at.saturating_sub(NEAR)..at).rev();
    before.find(|index| code[*index].touches().any(is_it))
}

/// The constant that a move gives, itself or through the register that it copies.
fn held_by(code: &[Instruction], at: usize) -> Option<u32> {
    if code[at].guard.is_some() {
        return None;
    }
    match super::operands::copied(&code[at])? {
        Value::Zero => Some(0),
        Value::Immediate(value) => Some(value),
        Value::Register(from) => {
            let made = touched_before(code, at, from, |access| access != Access::Read)?;
            constant_moved(&code[made]).filter(|_| code[made].guard.is_none())
        }
        Value::Constant(..) => None,
    }
}

/// The word that a move writes.
fn written(instruction: &Instruction) -> Option<Word> {
    let mut results = instruction.touches().filter(|touch| touch.access != Access::Read);
    let to = results.next().filter(|to| results.next().is_none() && to.words == 1)?;
    Some(to.register.word(to.word))
}
