//! Halves of a word that are carried apart: where both are always written together, from one word, the word is carried in their place.
//!
//! A front end that takes vectors of 16-bit elements apart carries each element round a loop in a register of its own: at the end of the loop a word is split,
//! at its start the halves are put together again. That takes two registers and three instructions for what is one register and none.

use rustc_hash::FxHashMap;
use warpsmith_sass::{FieldName as F, Opcode as O, RegisterClass};

use super::{
    operands::copied,
    values::{Values, is_pinned},
};
use crate::{
    ir::{Function, Instruction},
    phase::Context,
    select::{Request, Source, Value, Word},
};

/// The selector of `PRMT` that puts the low halves of two words together.
const TOGETHER: u32 = 0x5410;
/// How far the two halves of a word may be written from one another.
const REACH: usize = 64;

/// A place where both halves are written: the later of the two instructions, and the word that they come from.
type Given = (u32, Value);

/// Carries words in place of their halves.
pub(crate) fn carry_words(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let is_joined = |instruction: &Instruction| instruction.base.opcode() == O::Prmt && instruction.operands.len() == 3;
    if !function.blocks.iter().flat_map(|block| &block.code).any(is_joined) {
        return Ok(());
    }
    let values = Values::of(function);
    // For each pair of halves, the word that is carried; `None` where it cannot be.
    let mut words: FxHashMap<(Word, Word), Option<Word>> = FxHashMap::default();
    let mut added: Vec<(u32, Instruction)> = Vec::new();
    for block in 0..function.blocks.len() {
        for index in 0..function.blocks[block].code.len() {
            let instruction = &function.blocks[block].code[index];
            let Some((to, low, high)) = joined(instruction).filter(|_| is_joined(instruction)) else {
                continue;
            };
            let word = match words.get(&(low, high)) {
                Some(known) => *known,
                None => {
                    let given = written_together(function, &values, low, high).filter(|_| context.fuel.take());
                    let word = given.and_then(|given| carry(function, context, &given, &mut added));
                    words.insert((low, high), word);
                    word
                }
            };
            let Some(word) = word else { continue };
            let instruction = &function.blocks[block].code[index];
            let Some(old) = Request::of(instruction) else { continue };
            let copy = Request::new(O::Mov).to(to).from(word).guard_like(&old);
            if let Some(copy) = context.selector.replacement(function, instruction, &copy) {
                function.blocks[block].code[index] = copy;
            }
        }
    }
    // From the end on, so that the places of the others stay.
    added.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    for (number, copy) in added {
        let (block, index) = values.place(number);
        function.blocks[block].code.insert(index + 1, copy);
    }
    Ok(())
}

/// What an instruction makes of the low halves of two words: its result, the word of the low half, that of the high one.
fn joined(instruction: &Instruction) -> Option<(Word, Word, Word)> {
    let request = Request::of(instruction)?;
    let [low, selector, high] = request.sources() else {
        return None;
    };
    let plain = |source: &Source| match source.value {
        Value::Register(word) if !source.negated && !source.absolute && !source.inverted => Some(word),
        _ => None,
    };
    let together = selector.value == Value::Immediate(TOGETHER) && request.literals().is_empty();
    let (low, high) = (plain(low)?, plain(high)?);
    (together && low != high).then_some((request.destination()?, low, high))
}

/// The places where two variables are written, if that is always to the halves of one word, one soon after the other.
fn written_together(function: &Function, values: &Values, low: Word, high: Word) -> Option<Vec<Given>> {
    for half in [low, high] {
        let is_variable = !values.is_value(values.word(half.register, half.word));
        let info = function.info(half.register);
        if !is_variable || info.class != RegisterClass::Gpr || info.words != 1 || is_pinned(function, half.register) {
            return None;
        }
    }
    let lows = values.definitions(values.word(low.register, low.word));
    let highs = values.definitions(values.word(high.register, high.word));
    if lows.is_empty() || lows.len() != highs.len() {
        return None;
    }
    let mut found = Vec::with_capacity(lows.len());
    let mut last = None;
    for (&of_low, &of_high) in lows.iter().zip(highs) {
        let (first, second) = (of_low.min(of_high), of_low.max(of_high));
        let ((block, start), (other, end)) = (values.place(first), values.place(second));
        // What is written in two places at once, or before the other half of the word before, is no pair.
        if block != other || first == second || end - start > REACH || last.is_some_and(|last| first <= last) {
            return None;
        }
        last = Some(second);
        let whole = whole(
            values.instruction(function, of_low),
            values.instruction(function, of_high),
        )?;
        let between = &function.blocks[block].code[start + 1..end];
        let from = match whole {
            Value::Register(word) => Some(word.register),
            Value::Zero | Value::Immediate(_) | Value::Constant(..) => None,
        };
        if [low, high].iter().any(|half| from == Some(half.register)) {
            return None;
        }
        // Between the two nobody reads a half, and the word stays as it is.
        let disturbs = |instruction: &Instruction| {
            instruction.touches().any(|touch| {
                let is_half = touch.register == low.register || touch.register == high.register;
                let writes = touch.access != warpsmith_sass::Access::Read;
                is_half || writes && from == Some(touch.register)
            })
        };
        if between.iter().any(disturbs) {
            return None;
        }
        found.push((second, whole));
    }
    Some(found)
}

/// The word that two instructions write the halves of.
fn whole(low: &Instruction, high: &Instruction) -> Option<Value> {
    let low = copied(low)?;
    let constant = |value: Value| match value {
        Value::Zero => Some(0),
        Value::Immediate(value) => Some(value),
        Value::Register(_) | Value::Constant(..) => None,
    };
    if let (Some(low), Some(high)) = (constant(low), copied(high).and_then(constant)) {
        return Some(Value::Immediate(low & 0xffff | high << 16));
    }
    let Value::Register(word) = low else { return None };
    (upper_half_of(high)? == word).then_some(low)
}

/// The word whose upper half an instruction moves down, with zeros above.
fn upper_half_of(instruction: &Instruction) -> Option<Word> {
    if instruction.base.opcode() != O::Shf || instruction.guard.is_some() {
        return None;
    }
    let request = Request::of(instruction)?;
    let logical = request.says(F::Direction) == "R" && request.says(F::Type) == "U32" && request.has_flag(F::High);
    let [zero, amount, word] = request.sources() else {
        return None;
    };
    let fits = zero.value == Value::Zero && amount.value == Value::Immediate(16);
    match word.value {
        Value::Register(word) if logical && fits => Some(word),
        _ => None,
    }
}

/// A variable for a word, with the copies to it behind the places where the halves are written.
fn carry(
    function: &mut Function,
    context: &Context<'_>,
    given: &[Given],
    added: &mut Vec<(u32, Instruction)>,
) -> Option<Word> {
    let word = Word::from(function.register(RegisterClass::Gpr, 1));
    let mut copies = Vec::with_capacity(given.len());
    for (number, from) in given {
        let copy = Request::new(O::Mov).to(word).from(*from);
        copies.push((*number, context.selector.build(function, &copy)?));
    }
    added.append(&mut copies);
    Some(word)
}
