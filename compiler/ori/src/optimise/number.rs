//! Values that are computed again: an instruction without effects that does what one before it did, on the same values, is left out.
//!
//! The blocks are walked in depth-first order of the dominator tree. Instructions with the same word and the same values as operands stand in one list;
//! those of subtrees that the walk has left are taken off when the list is looked at again, so that what is on top dominates or is gone. What reads a
//! variable is the same as long as its block has not written that. What is only copied counts as what it is copied from, word by word, and constants as the
//! same wherever they are made.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName as F, Flow, MemorySpace, Opcode as O, RegisterClass};

use super::values::{Values, is_pinned};
use crate::{
    ir::{Function, Instruction},
    phase::Context,
    select::{Request, Value, Word, printed},
};

/// What makes two instructions the same: the word and what it reads, as [`Contents`] numbers it.
type Key = (u128, SmallVec<[(F, u32); 6]>);

/// Numbers of what words hold: the word that a value was copied from, a number of its own for each constant, or the word itself.
struct Contents {
    numbers: Vec<u32>,
    constants: FxHashMap<u32, u32>,
}

impl Contents {
    fn new(words: usize) -> Contents {
        Contents {
            numbers: (0..words as u32).collect(),
            constants: FxHashMap::default(),
        }
    }

    /// Notes what a copy to a value gives.
    fn note(&mut self, values: &Values, instruction: &Instruction) {
        let Some(value) = super::operands::copied(instruction) else {
            return;
        };
        let mut results = instruction.touches().filter(|touch| touch.access != Access::Read);
        let Some(to) = results.next().filter(|_| results.next().is_none()) else {
            return;
        };
        let number = match value {
            Value::Zero => self.constant(0),
            Value::Immediate(value) => self.constant(value),
            Value::Register(from) => {
                let from = values.word(from.register, from.word);
                match values.is_value(from) {
                    true => self.numbers[from],
                    false => return,
                }
            }
            Value::Constant(..) => return,
        };
        let to = values.word(to.register, to.word);
        if values.is_value(to) {
            self.numbers[to] = number;
        }
    }

    fn constant(&mut self, value: u32) -> u32 {
        let next = (self.numbers.len() + self.constants.len()) as u32;
        *self.constants.entry(value).or_insert(next)
    }

    fn key(&self, values: &Values, instruction: &Instruction) -> Key {
        let reads = instruction.touches().filter(|touch| touch.access == Access::Read);
        let mut operands: SmallVec<[(F, u32); 6]> = SmallVec::new();
        for touch in reads {
            let Some(field) = touch.field else { continue };
            let first = values.word(touch.register, touch.word);
            operands.extend((first..first + usize::from(touch.words)).map(|word| (field, self.numbers[word])));
        }
        // The words of a field stay in order.
        operands.sort_by_key(|(field, _)| *field as usize);
        (instruction.base.word(), operands)
    }
}

/// A word that an instruction writes, and how many follow it.
type Written = (Word, u8);

/// Instructions that do the same, each with what it writes.
type Same = SmallVec<[(u32, SmallVec<[Written; 2]>); 1]>;

/// Leaves out what was computed before.
pub(crate) fn number_values(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let values = Values::of(function);
    let mut found: FxHashMap<Key, Same> = FxHashMap::default();
    // For each word, the word that takes its place.
    let mut instead: Vec<Option<Word>> = vec![None; values.words()];
    let mut removed = vec![false; values.instructions()];
    let mut contents = Contents::new(values.words());
    let uniform_stay = uniform_registers_stay(function);
    let beside = read_beside_operands(function);
    for block in values.dominance.order.clone() {
        let mut code = std::mem::take(&mut function.blocks[block].code);
        // The same threads have run everything from this instruction on; whether it is all of the warp.
        let mut together = values.number(block, 0);
        let mut all = false;
        for (index, instruction) in code.iter_mut().enumerate() {
            let number = values.number(block, index);
            if instruction.base.flow() != Flow::None || instruction.base.opcode() == O::Syncs {
                together = number;
                all = gathers_all(instruction);
            }
            rename(&values, &instead, instruction);
            contents.note(&values, instruction);
            if !is_repeatable(function, &values, instruction, all)
                || !uniform_stay && writes_uniform(function, instruction)
            {
                continue;
            }
            let same = found.entry(contents.key(&values, instruction)).or_default();
            let stays =
                |since: u32| values.comes_before(since, number) && reads_the_same(&values, instruction, since, number);
            while same.last().is_some_and(|(last, _)| !stays(*last)) {
                same.pop();
            }
            let results = written(instruction);
            let Some((earlier, sources)) = same.last() else {
                same.push((number, results));
                continue;
            };
            // A uniform register that was written elsewhere, or before threads could wait, may have been written by other threads since.
            let since = values.block_of(*earlier) == block && *earlier >= together;
            if is_brought(instruction) && !since {
                same.push((number, results));
                continue;
            }
            // Constants are cheaper made again than kept.
            if is_cheap(instruction) && values.block_of(*earlier) != block || !context.fuel.take() {
                continue;
            }
            let whole = results
                .iter()
                .all(|(word, words)| word.word == 0 && *words == function.info(word.register).words);
            // What is read beside the operands is read from its first word on.
            let first = |(to, from): (&Written, &Written)| from.0.word == 0 || !beside[to.0.register.0 as usize];
            let whole = whole && results.iter().zip(sources).all(first);
            if whole {
                for ((to, words), (from, _)) in results.iter().zip(sources) {
                    for part in 0..*words {
                        let word = values.word(to.register, to.word + part);
                        instead[word] = Some(from.register.word(from.word + part));
                    }
                }
                removed[number as usize] = true;
            } else if let ([(to, 1)], [(from, 1)]) = (&results[..], &sources[..])
                && instruction.base.opcode() != O::Mov
                && function.info(to.register).class == RegisterClass::Gpr
            {
                // Part of a wide register: the other part may come from elsewhere.
                let copy = Request::new(O::Mov).to(*to).from(*from);
                if let Some(copy) = context.selector.replacement(function, instruction, &copy) {
                    *instruction = copy;
                    contents.note(&values, instruction);
                }
            }
        }
        function.blocks[block].code = code;
    }
    let mut number = 0;
    for block in &mut function.blocks {
        block.code.retain(|_| {
            number += 1;
            !removed[number - 1]
        });
    }
    Ok(())
}

/// The registers that instructions read beside their operands.
fn read_beside_operands(function: &Function) -> Vec<bool> {
    let mut found = vec![false; function.registers.len()];
    let code = function.blocks.iter().flat_map(|block| &block.code);
    for effects in code.filter_map(|instruction| instruction.effects.as_deref()) {
        for (register, _) in &effects.reads {
            found[register.0 as usize] = true;
        }
    }
    found
}

/// Whether a uniform register may hold a value for long: calls keep none that a device function may use.
fn uniform_registers_stay(function: &Function) -> bool {
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    function.kernel || !code.any(|instruction| instruction.base.flow() == Flow::Call)
}

fn writes_uniform(function: &Function, instruction: &Instruction) -> bool {
    let mut touches = instruction.touches();
    touches
        .any(|touch| touch.access != Access::Read && function.info(touch.register).class == RegisterClass::UniformGpr)
}

/// Reads what takes the place of what is gone.
fn rename(values: &Values, instead: &[Option<Word>], instruction: &mut Instruction) {
    if let Some(guard) = &mut instruction.guard
        && let Some(word) = instead[values.word(guard.register, 0)]
    {
        guard.register = word.register;
    }
    // Only values are replaced, and nothing writes them a second time.
    for operand in &mut instruction.operands {
        if let Some(word) = instead[values.word(operand.register, operand.word)] {
            (operand.register, operand.word) = (word.register, word.word);
        }
    }
    if let Some(effects) = &mut instruction.effects {
        for (register, _) in &mut effects.reads {
            if let Some(word) = instead[values.word(*register, 0)] {
                *register = word.register;
            }
        }
    }
}

fn written(instruction: &Instruction) -> SmallVec<[Written; 2]> {
    let touches = instruction.touches().filter(|touch| touch.access != Access::Read);
    touches
        .map(|touch| (touch.register.word(touch.word), touch.words))
        .collect()
}

/// Whether an instruction reads what one before it read in the same places: values, and variables that nothing in the block has written since.
fn reads_the_same(values: &Values, instruction: &Instruction, earlier: u32, number: u32) -> bool {
    let here = values.block_of(earlier) == values.block_of(number);
    let mut reads = instruction.touches().filter(|touch| touch.access == Access::Read);
    reads.all(|touch| {
        let mut words = touch.word..touch.word + touch.words;
        words.all(|word| {
            let word = values.word(touch.register, word);
            let written = values.definitions(word);
            let since = || written[written.partition_point(|at| *at < earlier)..].first();
            values.is_value(word) || here && since().is_none_or(|at| *at >= number)
        })
    })
}

/// Whether an instruction makes all threads of the warp wait for each other.
fn gathers_all(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    let every = base.form().name == "ALL.none" || base.field(F::Imm) == Some(u32::MAX.into());
    base.opcode() == O::Warpsync && every && instruction.operands.is_empty() && instruction.guard.is_none()
}

/// Whether an instruction gives the same wherever what it reads is the same, and all that it writes are values. `all`: all threads of the warp run it
/// together. What they then get from each other is the same as long as what they give is: each of them has run all that the others have.
fn is_repeatable(function: &Function, values: &Values, instruction: &Instruction, all: bool) -> bool {
    let exchanges = all && instruction.base.opcode() == O::Shfl;
    let same_again = is_pure(instruction) || is_brought(instruction) || exchanges;
    if instruction.guard.is_some() || instruction.reference.is_some() || !same_again {
        return false;
    }
    let mut writes = false;
    let all_values = instruction.touches().all(|touch| {
        writes |= touch.access != Access::Read;
        touch.access != Access::ReadWrite
            && !is_pinned(function, touch.register)
            && match touch.access {
                Access::Read => touch.field.is_some(),
                Access::Write | Access::ReadWrite => values.are_values(touch.register, touch.word, touch.words),
            }
    });
    all_values && writes
}

/// Whether an instruction gives the same wherever it stands.
pub(super) fn is_pure(instruction: &Instruction) -> bool {
    let base = &instruction.base;
    if instruction.effects.is_some() || base.flow() != Flow::None || base.opcode() == O::Nop {
        return false;
    }
    if matches!(base.opcode(), O::S2r | O::Cs2r) {
        let name = printed(base, F::SpecialRegister);
        return [
            "SR_TID",
            "SR_CTAID",
            "SR_NTID",
            "SR_NCTAID",
            "SR_LANEID",
            "SR_CgaCtaId",
            "SRZ",
        ]
        .iter()
        .any(|known| name.starts_with(known));
    }
    let info = base.opcode().info();
    let constant = base.memory().iter().all(|access| access.space == MemorySpace::Constant);
    let unchanging =
        instruction.marks.weak && base.opcode() == O::Ldg && ["CONSTANT"].contains(&printed(base, F::Scope));
    !base.has_side_effects() && !info.collective && !info.volatile && (constant || unchanging)
}

/// Whether an instruction brings a general register to a uniform one: the same twice as long as the same threads run.
fn is_brought(instruction: &Instruction) -> bool {
    instruction.base.opcode() == O::R2ur && instruction.effects.is_none()
}

/// Whether making a value again costs no more than keeping it.
fn is_cheap(instruction: &Instruction) -> bool {
    instruction.base.opcode() == O::Mov && instruction.operands.len() == 1
}
