//! Pairs of zeros once registers have numbers: what is cleared for a sum that starts at zero is two words that lie side by side only now.

use rustc_hash::FxHashMap;
use warpsmith_sass::{FieldName as F, Flow, Opcode as O, RegisterClass};

use super::operands::copied;
use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
    select::{Request, Value},
};

/// How far apart the two words of a pair may be cleared.
const REACH: usize = 48;

/// Clears two words at once.
pub(crate) fn pair_zeros(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    // A register of two words for each pair.
    let mut pairs: FxHashMap<u8, Register> = FxHashMap::default();
    for block in 0..function.blocks.len() {
        let mut code = std::mem::take(&mut function.blocks[block].code);
        let mut removed = vec![false; code.len()];
        for at in 0..code.len() {
            let Some(number) = cleared(function, &code[at]).filter(|_| !removed[at]) else {
                continue;
            };
            let Some(second) = partner(function, &code, at, number ^ 1).filter(|_| context.fuel.take()) else {
                continue;
            };
            let low = number & !1;
            let register = match pairs.get(&low) {
                Some(register) => *register,
                None => {
                    let register = function.register(RegisterClass::Gpr, 2);
                    if let Some(allocation) = &mut function.allocation {
                        allocation.numbers.push(Some(low));
                    }
                    pairs.insert(low, register);
                    register
                }
            };
            let request = Request::new(O::Cs2r)
                .form("R_S")
                .to(register)
                .text(F::SpecialRegister, "SRZ");
            if let Some(pair) = context.selector.replacement(function, &code[at], &request) {
                code[at] = pair;
                removed[second] = true;
            }
        }
        let mut index = 0;
        code.retain(|_| {
            index += 1;
            !removed[index - 1]
        });
        function.blocks[block].code = code;
    }
    Ok(())
}

/// The number of a word's register.
fn number(function: &Function, register: Register, word: u8) -> Option<u8> {
    let number = function.allocation.as_ref()?.numbers.get(register.0 as usize)?;
    number.as_ref()?.checked_add(word)
}

/// The general register that an instruction clears, and does nothing else.
fn cleared(function: &Function, instruction: &Instruction) -> Option<u8> {
    if instruction.base.opcode() != O::Mov || instruction.guard.is_some() || instruction.effects.is_some() {
        return None;
    }
    let [to] = instruction.operands[..] else { return None };
    let zero = copied(instruction) == Some(Value::Zero) && to.field == F::Rd;
    let general = function.info(to.register).class == RegisterClass::Gpr;
    number(function, to.register, to.word).filter(|_| zero && general)
}

/// The place where the other register of a pair is cleared, which nothing touches before.
fn partner(function: &Function, code: &[Instruction], at: usize, other: u8) -> Option<usize> {
    for (next, instruction) in code.iter().enumerate().skip(at + 1).take(REACH) {
        if cleared(function, instruction) == Some(other) {
            return Some(next);
        }
        let touches_other = instruction.touches().any(|touch| {
            let first = number(function, touch.register, touch.word);
            function.info(touch.register).class == RegisterClass::Gpr
                && first.is_none_or(|first| (first..first.saturating_add(touch.words)).contains(&other))
        });
        if touches_other || instruction.base.flow() != Flow::None || instruction.effects.is_some() {
            return None;
        }
    }
    None
}
