//! Tuples that hold the same words: one of them does for all.
//!
//! Lowering puts the operands of a matrix product, a wide store or a texture instruction side by side by copies, for each instruction anew. Where the words
//! stand side by side already, in the result of a wide load or in the tuple of an earlier instruction, that register is read instead; a tuple of zeros is no
//! register at all. The copies are then dead.
//!
//! A word that varies is the same in two copies of one block between which nothing writes it: products that read what goes round a loop share a tuple, too.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_sass::RegisterClass;

use super::{
    operands::copied,
    values::{Values, is_pinned},
};
use crate::{
    ir::{Function, Register},
    phase::Context,
    select::{Request, Value, Word},
};

/// What a word of a tuple is a copy of, and, where that varies, which of the things it is in turn; `None`: zero.
type Part = Option<(Word, Version)>;

/// What a word holds at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Version {
    /// A value: there is only one.
    Only,
    /// What this instruction, the last before the place in its block, has written.
    Of(u32),
    /// What it holds at the start of this block.
    AtStart(u32),
}

/// Reads earlier registers with the same words in place of tuples.
pub(crate) fn share_tuples(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let values = Values::of(function);
    let mut known: FxHashMap<SmallVec<[Part; 8]>, Vec<Register>> = FxHashMap::default();
    let mut instead: Vec<Option<Word>> = vec![None; function.registers.len()];
    let mut zeros: Vec<Register> = Vec::new();
    let mut tuples: Vec<(u32, Register, SmallVec<[Part; 8]>)> = Vec::new();
    for index in 0..function.registers.len() as u32 {
        let register = Register(index);
        if let Some(parts) = parts(function, &values, register) {
            let first = values.definitions(values.word(register, 0)).first().copied();
            tuples.push((first.unwrap_or(0), register, parts));
        }
    }
    // In order of the code, so that the first of several stays.
    tuples.sort_by_key(|(first, register, _)| (*first, *register));
    for (_, register, parts) in tuples {
        if parts.iter().all(Option::is_none) {
            zeros.push(register);
        }
        if let Some(whole) = side_by_side(function, &values, &parts) {
            if context.fuel.take() {
                instead[register.0 as usize] = Some(whole);
            }
            continue;
        }
        let same = known.entry(parts).or_default();
        match same
            .iter()
            .find(|earlier| precedes(function, &values, **earlier, register))
        {
            Some(earlier) if context.fuel.take() => instead[register.0 as usize] = Some((*earlier).into()),
            Some(_) => {}
            None => same.push(register),
        }
    }
    read_nothing(function, context, &zeros);
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.code) {
        for operand in &mut instruction.operands {
            if let Some(place) = instead[operand.register.0 as usize]
                && !written_here(&instruction.base, operand.field)
            {
                operand.register = place.register;
                operand.word += place.word;
            }
        }
    }
    Ok(())
}

/// Whether a field is one that its instruction writes.
fn written_here(base: &warpsmith_sass::Instruction, field: warpsmith_sass::FieldName) -> bool {
    let found = base.registers().find(|described| described.name == field);
    found.is_none_or(|described| described.access != Some(warpsmith_sass::Access::Read))
}

/// What the words of a tuple are copies of, if each has one definition and that is a copy of a value or zero.
fn parts(function: &Function, values: &Values, register: Register) -> Option<SmallVec<[Part; 8]>> {
    let info = function.info(register);
    if info.class != RegisterClass::Gpr || info.words < 2 || !values.are_values(register, 0, info.words) {
        return None;
    }
    let mut parts = SmallVec::new();
    for word in 0..info.words {
        let at = values.word(register, word);
        let number = values.definition(at)?;
        let definition = values.instruction(function, number);
        // What the calling convention names cannot be another register.
        let named = |used: &u32| values.instruction(function, *used).effects.is_some();
        if definition.guard.is_some() || values.uses(at).iter().any(named) {
            return None;
        }
        parts.push(match copied(definition)? {
            Value::Zero => None,
            Value::Register(from) => {
                let is_general = function.info(from.register).class == RegisterClass::Gpr;
                let version = version(function, values, from, number).filter(|_| is_general)?;
                Some((from, version))
            }
            Value::Immediate(_) | Value::Constant(..) => return None,
        });
    }
    Some(parts)
}

/// What a word holds before an instruction.
fn version(function: &Function, values: &Values, word: Word, before: u32) -> Option<Version> {
    let at = values.word(word.register, word.word);
    if values.is_value(at) {
        return Some(Version::Only);
    }
    if is_pinned(function, word.register) {
        return None;
    }
    let block = values.block_of(before);
    let definitions = values.definitions(at);
    let earlier = definitions.partition_point(|definition| *definition < before);
    let last = earlier.checked_sub(1).and_then(|last| definitions.get(last)).copied();
    Some(match last.filter(|last| *last >= values.number(block, 0)) {
        Some(last) => Version::Of(last),
        None => Version::AtStart(block as u32),
    })
}

/// The place where the words stand side by side already, as aligned as a tuple of so many must be.
fn side_by_side(function: &Function, values: &Values, parts: &[Part]) -> Option<Word> {
    let (first, _) = parts.first().copied().flatten()?;
    let words = parts.len() as u8;
    let follows = |(offset, part): (u8, &Part)| {
        part.is_some_and(|(part, _)| part.register == first.register && part.word == first.word + offset)
    };
    let in_order = (0..words).zip(parts).all(follows);
    let aligned = first.word % words.next_power_of_two() == 0;
    let inside = first.word + words <= function.info(first.register).words;
    (in_order && aligned && inside && values.are_values(first.register, first.word, words)).then_some(first)
}

/// Whether every way to a use of a tuple goes through all that makes an earlier one.
fn precedes(function: &Function, values: &Values, earlier: Register, later: Register) -> bool {
    let words = function.info(later).words;
    if function.info(earlier).words != words {
        return false;
    }
    let numbers = |register: Register| (0..words).map(move |word| values.word(register, word));
    let made: SmallVec<[u32; 8]> = numbers(earlier).filter_map(|word| values.definition(word)).collect();
    let mut uses = numbers(later).flat_map(|word| values.uses(word));
    uses.all(|used| made.iter().all(|definition| values.comes_before(*definition, *used)))
}

/// Tuples of zeros are read as zero by the instructions that can.
fn read_nothing(function: &mut Function, context: &Context<'_>, zeros: &[Register]) {
    let mut is_zero = vec![false; function.registers.len()];
    for register in zeros {
        is_zero[register.0 as usize] = true;
    }
    for block in 0..function.blocks.len() {
        let mut code = std::mem::take(&mut function.blocks[block].code);
        for instruction in &mut code {
            if !instruction
                .operands
                .iter()
                .any(|operand| is_zero[operand.register.0 as usize])
            {
                continue;
            }
            let Some(mut request) = Request::of(instruction) else {
                continue;
            };
            let mut any = false;
            for source in request.sources_mut() {
                if let Value::Register(word) = source.value
                    && is_zero[word.register.0 as usize]
                {
                    source.value = Value::Zero;
                    any = true;
                }
            }
            if any
                && context.fuel.take()
                && let Some(replacement) = context.selector.replacement(function, instruction, &request)
            {
                *instruction = replacement;
            }
        }
        function.blocks[block].code = code;
    }
}
