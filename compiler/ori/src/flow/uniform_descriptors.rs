//! Descriptors of tensor products in turn: the words of a tuple that are constants stay for the product after next but two.
//!
//! Lowering gives each product a tuple of uniform registers of its own. Half of its words are most often the same constants. A tuple whose words are made
//! for one product is put into that of an earlier one, and what is there already is not made again. Some tuples remain in turn, so that a product need not
//! wait until the one before has read its own. (Four, as ptxas 13.0.88 has them.)

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName as F, Opcode as O, RegisterClass};

use super::shape::Shape;
use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
    select::{Request, Value},
};

/// Tuples of one width that are in turn.
const IN_TURN: usize = 4;

/// The word of a tuple that an instruction makes.
#[derive(Clone, Copy, Debug)]
struct Made {
    at: usize,
    word: u8,
    constant: Option<u32>,
}

/// A tuple that may take the words of a later one.
#[derive(Clone, Debug)]
struct Turn {
    register: Register,
    /// For each word, the constant that it holds.
    constants: SmallVec<[Option<u32>; 4]>,
    /// Where it was read last.
    read: usize,
}

/// Lets products of a node share tuples.
pub(super) fn settle(shape: &mut Shape, function: &Function, order: &[usize], context: &Context<'_>) {
    let all = || order.iter().flat_map(|node| &shape.nodes[*node].code);
    if !all().any(|instruction| tuple_of(function, instruction).is_some()) {
        return;
    }
    let (mut writes, mut reads) = (
        vec![0_u32; function.registers.len()],
        vec![0_u32; function.registers.len()],
    );
    for touch in all().flat_map(Instruction::touches) {
        writes[touch.register.0 as usize] += u32::from(touch.access != Access::Read);
        reads[touch.register.0 as usize] += u32::from(touch.access != Access::Write);
    }
    for &node in order {
        let code = &mut shape.nodes[node].code;
        let mut made: FxHashMap<Register, SmallVec<[Made; 4]>> = FxHashMap::default();
        let mut turns: FxHashMap<u8, VecDeque<Turn>> = FxHashMap::default();
        let mut removed = vec![false; code.len()];
        for at in 0..code.len() {
            if let Some((register, word, constant)) = word_made(function, &code[at]) {
                made.entry(register).or_default().push(Made { at, word, constant });
                continue;
            }
            let Some(register) = tuple_of(function, &code[at]) else {
                continue;
            };
            let width = function.info(register).words;
            let Some(words) = made.get(&register).filter(|words| words.len() == usize::from(width)) else {
                continue;
            };
            if writes[register.0 as usize] != u32::from(width) || reads[register.0 as usize] != 1 {
                continue;
            }
            let mut constants: SmallVec<[Option<u32>; 4]> = SmallVec::from_elem(None, usize::from(width));
            words
                .iter()
                .for_each(|made| constants[usize::from(made.word)] = made.constant);
            let turns = turns.entry(width).or_default();
            let oldest = if turns.len() < IN_TURN { None } else { turns.pop_front() };
            let there = |turn: &Turn, made: &Made| {
                made.constant.is_some() && turn.constants[usize::from(made.word)] == made.constant
            };
            let fitting = oldest.filter(|turn| {
                let rest = words.iter().filter(|made| !there(turn, made));
                words.iter().any(|made| there(turn, made)) && rest.into_iter().all(|made| made.at > turn.read)
            });
            let shared = fitting.filter(|_| context.fuel.take());
            let own = match shared {
                Some(turn) => {
                    for made in words {
                        removed[made.at] |= there(&turn, made);
                        rename(&mut code[made.at], register, turn.register);
                    }
                    rename(&mut code[at], register, turn.register);
                    turn.register
                }
                None => register,
            };
            turns.push_back(Turn {
                register: own,
                constants,
                read: at,
            });
        }
        let mut index = 0;
        code.retain(|_| {
            index += 1;
            !removed[index - 1]
        });
    }
}

/// The tuple of uniform registers that a product reads, if it is one whole register.
fn tuple_of(function: &Function, instruction: &Instruction) -> Option<Register> {
    if !matches!(instruction.base.opcode(), O::Hgmma | O::Qgmma | O::Igmma | O::Bgmma) {
        return None;
    }
    let mut tuples = instruction.touches().filter(|touch| {
        let info = function.info(touch.register);
        let whole = touch.word == 0 && touch.words == info.words && touch.words > 1 && info.fixed.is_none();
        info.class == RegisterClass::UniformGpr && touch.access == Access::Read && whole
    });
    tuples
        .next()
        .filter(|_| tuples.next().is_none())
        .map(|touch| touch.register)
}

/// The word of a tuple that an instruction makes, it alone, and the constant if it is one.
fn word_made(function: &Function, instruction: &Instruction) -> Option<(Register, u8, Option<u32>)> {
    let mut writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    let to = writes
        .next()
        .filter(|_| writes.next().is_none() && instruction.guard.is_none())?;
    let is_part = to.words == 1 && to.access == Access::Write && function.info(to.register).words > 1;
    if !is_part || to.field != Some(F::URd) {
        return None;
    }
    let constant = match instruction.base.opcode() {
        O::Umov => Request::of(instruction).and_then(|request| match request.sources() {
            [source] => match source.value {
                Value::Immediate(value) => Some(value),
                Value::Zero => Some(0),
                Value::Register(_) | Value::Constant(..) => None,
            },
            _ => None,
        }),
        _ => None,
    };
    Some((to.register, to.word, constant))
}

fn rename(instruction: &mut Instruction, old: Register, new: Register) {
    for operand in instruction
        .operands
        .iter_mut()
        .filter(|operand| operand.register == old)
    {
        operand.register = new;
    }
}
