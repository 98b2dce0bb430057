//! The touches of a whole function in flat tables: worked out once, walked many times.

use warpsmith_sass::{Access, FieldName};

use crate::{
    ir::{Function, Instruction, Register},
    optimise::values::adds_in_place,
};

/// The slot of a guard in [`Touched::slot`].
const GUARD: u16 = 0xff;
/// The slots of registers that the calling convention reads.
const CONVENTION_READS: u16 = 0x100;
/// The slots of registers that the calling convention writes.
const CONVENTION_WRITES: u16 = 0x200;

/// Registers that an instruction usually touches, at most.
const USUAL: usize = 4;

/// A touch of consecutive words of a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touched {
    pub(crate) register: u32,
    /// The first word that is touched.
    pub(crate) word: u8,
    /// How many; may be 0.
    pub(crate) words: u8,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    /// What the number of the first physical register must be a multiple of.
    pub(crate) alignment: u8,
    /// What a write under a guard leaves in the other threads is of no use.
    fleeting: bool,
    /// Where the instruction holds the register: index into its operands, the guard, or what the calling convention names.
    slot: u16,
}

/// All touches, by instructions numbered through the function.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    /// For each block, the number of its first instruction; then the number of instructions.
    pub(crate) block_first: Vec<u32>,
    /// For each instruction, the index of its first touch; then their number.
    first: Vec<u32>,
    list: Vec<Touched>,
    /// For each instruction, its guard: register and whether negated.
    guards: Vec<Option<(u32, bool)>>,
}

impl Touches {
    pub(crate) fn of(function: &Function) -> Touches {
        let count: usize = function.blocks.iter().map(|block| block.code.len()).sum();
        let mut touches = Touches {
            block_first: Vec::with_capacity(function.blocks.len() + 1),
            first: Vec::with_capacity(count + 1),
            list: Vec::with_capacity(USUAL * count),
            guards: Vec::with_capacity(count),
        };
        let fleeting = function.fleeting();
        let mut number = 0;
        for block in &function.blocks {
            touches.block_first.push(number);
            for instruction in &block.code {
                touches.first.push(touches.list.len() as u32);
                touches
                    .guards
                    .push(instruction.guard.map(|guard| (guard.register.0, guard.negated)));
                add(instruction, &fleeting, &mut touches.list);
                number += 1;
            }
        }
        touches.block_first.push(number);
        touches.first.push(touches.list.len() as u32);
        touches
    }

    /// The numbers of the instructions of a block.
    pub(crate) fn block(&self, block: usize) -> std::ops::Range<usize> {
        self.block_first[block] as usize..self.block_first[block + 1] as usize
    }

    /// Indices of the touches of an instruction.
    pub(crate) fn range(&self, instruction: usize) -> std::ops::Range<usize> {
        self.first[instruction] as usize..self.first[instruction + 1] as usize
    }

    /// The touches of an instruction, the guard first.
    pub(crate) fn at(&self, instruction: usize) -> &[Touched] {
        &self.list[self.range(instruction)]
    }

    /// The guard under which an instruction reads a register: the guard itself is read in all threads.
    pub(crate) fn reads_under(&self, instruction: usize, touch: Touched) -> Option<(u32, bool)> {
        self.guards[instruction].filter(|_| touch.slot != GUARD)
    }

    /// The guard under which an instruction writes a register, where the other threads may need what was there before.
    pub(crate) fn writes_under(&self, instruction: usize, touch: Touched) -> Option<(u32, bool)> {
        self.guards[instruction].filter(|_| !touch.fleeting)
    }

    pub(crate) fn get(&self, index: usize) -> Touched {
        self.list[index]
    }

    /// A touch goes to another register.
    pub(crate) fn rename(&mut self, index: usize, register: u32, word: u8) {
        self.list[index].register = register;
        self.list[index].word = word;
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

/// Appends the touches of an instruction, the guard first.
fn add(instruction: &Instruction, fleeting: &[bool], list: &mut Vec<Touched>) {
    if let Some(guard) = instruction.guard {
        list.push(Touched {
            register: guard.register.0,
            word: 0,
            words: 1,
            reads: true,
            writes: false,
            alignment: 1,
            fleeting: false,
            slot: GUARD,
        });
    }
    if let Some(effects) = &instruction.effects {
        let reads = effects.reads.iter().zip(CONVENTION_READS..);
        let writes = effects.writes.iter().zip(CONVENTION_WRITES..);
        for ((register, words), slot) in reads.chain(writes) {
            list.push(Touched {
                register: register.0,
                word: 0,
                words: *words,
                reads: slot < CONVENTION_WRITES || crate::products::gives_back(&instruction.base),
                writes: slot >= CONVENTION_WRITES,
                alignment: 1,
                fleeting: false,
                slot,
            });
        }
    }
    if instruction.operands.is_empty() {
        return;
    }
    let in_place = adds_in_place(instruction);
    let keeps_lanes = instruction.keeps_lanes();
    // Sums of warpgroups' products start at multiples of eight in all code that was seen, which may be chance: it is kept all the same. (What goes to and
    // from tensor memory does not: multiples of four were seen.)
    let is_sum = crate::products::is_product(&instruction.base);
    let mut left = instruction.operands.len();
    for described in instruction.base.register_fields() {
        if left == 0 {
            break;
        }
        let place = instruction
            .operands
            .iter()
            .position(|operand| operand.field == described.name);
        let Some(slot) = place else { continue };
        left -= 1;
        let operand = instruction.operands[slot];
        let access = described.access.unwrap_or(Access::ReadWrite);
        let words = instruction.base.register_width(described);
        let least = described.alignment(words).max(1);
        list.push(Touched {
            register: operand.register.0,
            word: operand.word,
            words,
            reads: access != Access::Write || (in_place && described.name == FieldName::Rd) || keeps_lanes,
            writes: access != Access::Read,
            alignment: if is_sum && words > 8 { least.max(8) } else { least },
            fleeting: access == Access::Write && fleeting.get(operand.register.0 as usize) == Some(&true),
            slot: slot as u16,
        });
    }
}

/// Changes the register of a touch.
pub(crate) fn rename(instruction: &mut Instruction, touch: Touched, register: Register, word: u8) {
    let effects = instruction.effects.as_mut();
    match touch.slot {
        GUARD => {
            if let Some(guard) = &mut instruction.guard {
                guard.register = register;
            }
        }
        CONVENTION_WRITES.. => {
            let index = usize::from(touch.slot - CONVENTION_WRITES);
            if let Some(write) = effects.and_then(|effects| effects.writes.get_mut(index)) {
                write.0 = register;
            }
        }
        CONVENTION_READS.. => {
            let index = usize::from(touch.slot - CONVENTION_READS);
            if let Some(read) = effects.and_then(|effects| effects.reads.get_mut(index)) {
                read.0 = register;
            }
        }
        slot => {
            if let Some(operand) = instruction.operands.get_mut(usize::from(slot)) {
                operand.register = register;
                operand.word = word;
            }
        }
    }
}
